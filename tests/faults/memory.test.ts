// Memory over time: after several rounds of the same load, the heap is as large as after the first.
// By default there are a few rounds; KEYRAIL_TEST_SOAK_MINUTES sets a longer run, which finds
// smaller leaks.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { INSPECTED, type Memory, memoryOf } from '@keyrail/testing/processes/heap.ts';
import { BOOTSTRAP_TOKEN, dataDirectory } from '@keyrail/testing/processes/homes.ts';
import { ask, keptConnections } from '@keyrail/testing/processes/http.ts';
import { openLedger } from '@keyrail/testing/processes/ledger.ts';
import { type ServerProcess, startServer } from '@keyrail/testing/processes/server.ts';

const CLIENTS = 10;
/** How many requests of each kind a round makes. */
const REQUESTS = 150;
const ROUNDS = 3;
/**
 * The heap may grow by this much. Even in the shortest run, a leak of 4 KiB per request exceeds it.
 */
const HEAP_GROWTH_MIB_MAX = 8;
/**
 * The operating system reclaims pages whenever it wants, so this only finds large leaks outside the
 * heap.
 */
const RESIDENT_GROWTH_MIB_MAX = 150;

const skip = process.platform === 'linux' ? false : 'resident memory is read from /proc';

test('a server needs no more memory after many requests than after a few', {
  skip,
}, async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  const server = await startServer({ ...home.settings, ...INSPECTED });
  t.after(server.kill);
  const { token } = await openLedger(server.url, BOOTSTRAP_TOKEN);
  const until = performance.now() + Number(process.env.KEYRAIL_TEST_SOAK_MINUTES ?? 0) * 60_000;

  await round(server, token); // warm-up: code is compiled and caches are filled
  const memories: Memory[] = [];
  while (memories.length <= ROUNDS || performance.now() < until) {
    memories.push(await memoryOf(server));
    await round(server, token);
  }
  const sizes = memories.map(({ heapMiB, residentMiB }) => [heapMiB, residentMiB].map(Math.round));
  t.diagnostic(`heap and resident memory, MiB: ${sizes.join('  ')}`);
  const first = memories[0];
  const last = memories.at(-1);
  ok(first && last);
  ok(last.heapMiB - first.heapMiB < HEAP_GROWTH_MIB_MAX, `heap: ${sizes.join('  ')}`);
  ok(last.residentMiB - first.residentMiB < RESIDENT_GROWTH_MIB_MAX, `all: ${sizes.join('  ')}`);
});

/** Makes requests with every outcome: created, read, denied, too large, not found. */
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
