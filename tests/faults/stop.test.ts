// A graceful stop under load: accepted requests get complete responses, other connections are
// closed, and the process exits with code 0.
import { equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BOOTSTRAP_TOKEN,
  dataDirectory,
  openCluster,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import { keptConnections } from '@keyrail/testing/processes/http.ts';
import {
  assertDecent,
  audit,
  type Ledger,
  listAll,
  openLedger,
  startWriting,
  writeOnce,
  writesOf,
} from '@keyrail/testing/processes/ledger.ts';
import {
  type ServerProcess,
  type Settings,
  startServer,
} from '@keyrail/testing/processes/server.ts';
import { until } from '@keyrail/testing/until.ts';

const CLIENTS = 6;

async function stopUnderLoad(
  server: ServerProcess,
  ledger: Ledger,
  kept: boolean,
): Promise<{ code: number | null; ms: number }> {
  const agent = kept ? keptConnections(CLIENTS) : undefined;
  const load = startWriting(CLIENTS, async () => {
    const outcome = await writeOnce(server.url, ledger, agent && { agent });
    // Clients that are turned away wait briefly, so that they don't retry a thousand times a
    // second.
    if (outcome.kind !== 'answered') await sleep(20);
  });
  await writesOf(ledger, CLIENTS * 2);
  const began = performance.now();
  const { code } = await server.stop();
  const ms = performance.now() - began;
  await load.stop();
  agent?.destroy();
  return { code, ms };
}

async function assertStopsInOrder(t: TestContext, settings: Settings): Promise<void> {
  const first = await startServer(settings);
  t.after(first.kill);
  const ledger = await openLedger(first.url, BOOTSTRAP_TOKEN);
  let server = first;
  for (const kept of [false, true]) {
    const { code, ms } = await stopUnderLoad(server, ledger, kept);
    equal(code, 0);
    t.diagnostic(`stopped after ${Math.round(ms)} ms`);
    server = await startServer(settings);
    t.after(server.kill);
    assertDecent(ledger);
    await audit(server.url, ledger);
    await assertLostWereNeverLetIn(server, ledger);
  }
}

/**
 * Asserts that the server never executed a request whose connection it closed without a response.
 */
async function assertLostWereNeverLetIn(server: ServerProcess, ledger: Ledger): Promise<void> {
  const keys = await listAll(server.url, ledger.token, '/v1/secret_keys?limit=1000');
  const names = new Set(keys.map(({ name }) => name));
  for (const [name, outcome] of ledger.fates) {
    if (outcome.kind === 'lost')
      ok(!names.has(name), `executed, but its connection was closed: ${JSON.stringify(outcome)}`);
  }
}

test('on the embedded store, stopping under load interrupts no requests', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  await assertStopsInOrder(t, home.settings);
});

test('on PostgreSQL, stopping under load interrupts no requests', {
  skip: whyNoCluster(),
}, async (t) => {
  const cluster = await openCluster();
  t.after(cluster.close);
  await assertStopsInOrder(t, cluster.settings);
  // Waits until no transaction is open. Jobs of the server that was stopped last may take a moment.
  const isQuiet = async () => {
    const [row] = await cluster.ask(
      `select count(*)::int as open from pg_stat_activity
        where usename = 'keyrail' and state <> 'idle'`,
    );
    return row?.open === 0;
  };
  await until(isQuiet);
});

test("npm start forwards the signal and exits with the server's exit code", async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  // Skips npm's lifecycle scripts, because this test isn't about the setup that they run.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KEYRAIL_PORT: '0', ...home.settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => endGroup(npm));
  const closed = once(npm, 'close');
  let output = '';
  for await (const text of npm.stdout.setEncoding('utf8')) {
    output += text;
    if (!npm.killed && /"msg":"ready"/.test(output)) npm.kill('SIGTERM');
  }
  const [code] = await closed;
  equal(code, 0, output);
  match(output, /"signal":"SIGTERM"/);
});

/** npm's children are in its process group, so killing the group kills them all. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already exited.
  }
}
