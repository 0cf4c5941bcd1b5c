// Two API processes behind PgBouncer in transaction mode, which may run each transaction on a
// different connection. Everything works, no request leaves a trace on a connection, and no
// acknowledged write is lost when the pooler crashes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '@keyrail/testing/feed-client.ts';
import {
  BOOTSTRAP_TOKEN,
  type Cluster,
  openCluster,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import {
  assertDecent,
  audit,
  openLedger,
  repeatLost,
  startWriting,
  writeOnce,
} from '@keyrail/testing/processes/ledger.ts';
import { type ServerProcess, startServer } from '@keyrail/testing/processes/server.ts';
import { programIsMissing } from '@keyrail/testing/stores/daemon.ts';
import { type PgBouncer, startPgBouncer } from '@keyrail/testing/stores/pgbouncer.ts';

const skip = whyNoCluster() || programIsMissing('pgbouncer');
const WRITES = 40;
const HEALED_MS_MAX = 60_000;
let cluster: Cluster;
let pooler: PgBouncer;
let servers: ServerProcess[] = [];

before(async () => {
  if (skip) return;
  cluster = await openCluster({ tcp: true });
  pooler = await startPgBouncer(cluster.postgres, { poolSize: 2 });
  const settings = { ...cluster.settings, KEYRAIL_DATABASE_POOLER_URL: pooler.url('keyrail') };
  servers = [await startServer(settings), await startServer(settings)];
});
after(async () => {
  for (const server of servers) await server.kill();
  await pooler?.stop();
  await cluster?.close();
});

test('changes made through one process reach polls held by the other', { skip }, async () => {
  const [first, second] = servers.map(({ url }) => url);
  const ledger = await openLedger(first ?? '', BOOTSTRAP_TOKEN);
  const call = async (url = '', path: string, body?: object) => {
    const method = body ? 'POST' : 'GET';
    const answer = await request({ url, token: ledger.token }, path, { method, body });
    ok(answer.status < 300, JSON.stringify(answer));
    return answer.body;
  };
  const { id: project_id } = await call(first, '/v1/projects', { name: 'Orders', slug: 'orders' });
  const { id: tenant_id } = await call(first, '/v1/tenants', { external_id: 'a' });
  const poll = call(second, `/v1/policy/delta?project_id=${project_id}&since=1&wait_ms=20000`);
  const key = await call(first, '/v1/keys', { project_id, tenant_id, env: 'live' });
  const { changes } = await poll;
  deepEqual(
    [changes].flat().map((change) => Object(change).key_id),
    [key.id],
  );
});

test('no acknowledged write is lost when the pooler crashes under load', { skip }, async () => {
  const [server] = servers;
  const url = server?.url ?? '';
  const ledger = await openLedger(url, BOOTSTRAP_TOKEN);
  const load = startWriting(4, () => writeOnce(url, ledger));
  const until = performance.now() + HEALED_MS_MAX;
  const written = async (count: number) => {
    while (ledger.acknowledged.size < count) {
      ok(performance.now() < until, 'no write is acknowledged');
      await sleep(10);
    }
  };
  await written(WRITES);
  await pooler.crash();
  await sleep(300);
  await pooler.restart();
  await written(ledger.acknowledged.size + WRITES);
  await load.stop();
  await repeatLost(url, ledger);
  await audit(url, ledger);
  assertDecent(ledger);
});

test("none of a request's settings remain on a pooler connection", { skip }, async () => {
  const left = await cluster.ask(`select count(*)::int as open from pg_stat_activity
    where usename = 'keyrail' and application_name = 'keyrail'`);
  ok(Number(left[0]?.open) >= 1, 'the pooler has no connection');
  const { Client } = await import('pg');
  for (let n = 0; n < 8; n += 1) {
    const client = new Client({ connectionString: pooler.url('keyrail') });
    await client.connect();
    const { rows } = await client.query(`select current_user::text as role,
      current_setting('kr.workspace', true) as workspace, current_setting('search_path') as path`);
    await client.end();
    equal(rows[0]?.role, 'keyrail');
    equal(rows[0]?.workspace ?? '', '');
    equal(rows[0]?.path, '"$user", public');
  }
});
