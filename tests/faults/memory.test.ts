// Memory over time: rounds of the same load leave the heap as the first one left it. A few rounds
// by default; KEYRAIL_TEST_SOAK_MINUTES makes it go on for that long, which finds smaller leaks.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { INSPECTED, type Memory, memoryOf } from '../processes/heap.ts';
import { BOOTSTRAP_TOKEN, dataDirectory } from '../processes/homes.ts';
import { ask, keptConnections } from '../processes/http.ts';
import { openLedger } from '../processes/ledger.ts';
import { type ServerProcess, startServer } from '../processes/server.ts';

const CLIENTS = 10;
/** Of each kind, in each round. */
const REQUESTS = 150;
const ROUNDS = 3;
/** A leak of 4 KiB with each request of the shortest run is more than this. */
const HEAP_GROWTH_MIB_MAX = 8;
/** The system takes pages back when it likes, so this only finds what is no part of the heap. */
const RESIDENT_GROWTH_MIB_MAX = 150;

const skip = process.platform === 'linux' ? false : 'resident memory is read from /proc';

test('the memory of a server is the same after many requests as after some', {
  skip,
}, async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  const server = await startServer({ ...home.settings, ...INSPECTED });
  t.after(server.kill);
  const { token } = await openLedger(server.url, BOOTSTRAP_TOKEN);
  const until = performance.now() + Number(process.env.KEYRAIL_TEST_SOAK_MINUTES ?? 0) * 60_000;

  await round(server, token); // code is compiled and caches are filled
  const memories: Memory[] = [];
  while (memories.length <= ROUNDS || performance.now() < until) {
    memories.push(await memoryOf(server));
    await round(server, token);
  }
  const told = memories.map(({ heapMiB, residentMiB }) => [heapMiB, residentMiB].map(Math.round));
  t.diagnostic(`heap and resident memory, MiB: ${told.join('  ')}`);
  const first = memories[0];
  const last = memories.at(-1);
  ok(first && last);
  ok(last.heapMiB - first.heapMiB < HEAP_GROWTH_MIB_MAX, `heap: ${told.join('  ')}`);
  ok(last.residentMiB - first.residentMiB < RESIDENT_GROWTH_MIB_MAX, `all: ${told.join('  ')}`);
});

/** Every kind of request that ends in its own way: done, read, refused, too large, nowhere. */
async function round({ url }: ServerProcess, token: string): Promise<void> {
  const agent = keptConnections(CLIENTS);
  const secretKey = { env: 'test', name: 'x' };
  const kinds = [
    { method: 'POST', path: '/v1/secret_keys', token, body: secretKey },
    { path: '/v1/workspace', token },
    { path: '/v1/secret_keys', token: 'krsk_test_unknown' },
    { method: 'POST', path: '/v1/auth/login', body: { email: 'x'.repeat(1_100_000) } },
    { path: '/nowhere' },
  ] as const;
  for (const kind of kinds) {
    const count = kind.path === '/v1/auth/login' ? REQUESTS / 10 : REQUESTS;
    let left = count;
    const client = async () => {
      while (left-- > 0) await ask(url, { ...kind, agent });
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }
  agent.destroy();
}
