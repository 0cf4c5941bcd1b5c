// PostgreSQL with a synchronous replica under Patroni. Under load, the primary is lost and the
// replica takes over, and the server keeps working without a restart. No acknowledged change is
// lost, no node accepts a key once its revocation is complete, and no change that exists only on
// the primary is acknowledged. The long form is `npm run soak -- --bed ha`.
import { equal, ok, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@keyrail/testing/ports.ts';
import { BOOTSTRAP_TOKEN, settingsFor, whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { answer, ask, type Body } from '@keyrail/testing/processes/http.ts';
import {
  assertDecent,
  audit,
  type Ledger,
  openLedger,
  repeatLost,
  startWriting,
  writeOnce,
} from '@keyrail/testing/processes/ledger.ts';
import { startServer } from '@keyrail/testing/processes/server.ts';
import { programIsMissing } from '@keyrail/testing/stores/daemon.ts';
import { type Etcd, startEtcd } from '@keyrail/testing/stores/etcd.ts';
import { type Haproxy, startHaproxy } from '@keyrail/testing/stores/haproxy.ts';
import { type Patroni, startPatroni } from '@keyrail/testing/stores/patroni.ts';
import { until } from '@keyrail/testing/until.ts';
import pg from 'pg';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { Batch } from '../../packages/server/src/db/batch.ts';

const skip = whyNoCluster() || programIsMissing('etcd', 'patroni', 'haproxy');

/** These timeouts are shorter than Patroni recommends, so that a failover takes only 8 seconds. */
const timing = { ttl: 8, loopWait: 1, retryTimeout: 3 };
const WRITES = 20;
const PAUSE_MS = 250;
const SERVED_MS_MAX = 60_000;

type Caller = (path: string, body?: object) => Promise<Body>;

/** Repeats a request that fails while there is no primary, until it succeeds. */
const caller =
  (url: string, token: string): Caller =>
  async (path, body) => {
    const method = body ? 'POST' : 'GET';
    let found: Body | null = null;
    await until(async () => {
      const outcome = await ask(url, { method, path, token, body });
      if (outcome.kind === 'answered' && outcome.status < 300) found = outcome.body;
      else await sleep(PAUSE_MS);
      return found !== null;
    }, SERVED_MS_MAX);
    return found ?? {};
  };

let etcd: Etcd | undefined;
let patroni: Patroni;
let haproxy: Haproxy | undefined;
let database = '';

before(async () => {
  if (skip) return;
  etcd = await startEtcd();
  patroni = await startPatroni({ etcd, timing });
  const port = await freePort();
  const servers = patroni.members.map((member) => ({
    port: member.port,
    checkPort: member.restPort,
  }));
  haproxy = await startHaproxy([
    { name: 'primary', port, mode: 'tcp', check: '/primary', servers },
  ]);
  database = `postgres://keyrail@127.0.0.1:${port}/keyrail`;
});
after(async () => {
  await haproxy?.close();
  await patroni?.close();
  await etcd?.close();
});

test('no acknowledged change is lost when the primary is lost', { skip }, async (t) => {
  const server = await startServer(settingsFor(database));
  t.after(server.kill);

  const ledger = await openLedger(server.url, BOOTSTRAP_TOKEN);
  const call = caller(server.url, ledger.token);
  const ground = await newGround(call);
  const node = createKeyrail({
    url: server.url,
    secretKey: ledger.token,
    projectId: ground.projectId,
    telemetry: false,
  });
  t.after(() => node.close());
  const load = startWriting(2, () => writing(server.url, ledger));
  const [ended, kept] = await Promise.all([ground.issue(), ground.issue()]);
  await until(() => node.verify(kept.key).allowed && node.verify(ended.key).allowed);
  await revokeCompletely(server.url, ledger, ended.id);
  await written(ledger, WRITES);

  const lost = await patroni.primary();
  await until(patroni.isWhole, SERVED_MS_MAX);
  await lost.kill();
  equal(node.verify(kept.key).allowed, true, 'a node needs no database');
  equal(node.verify(ended.key).allowed, false);
  await written(ledger, ledger.acknowledged.size + WRITES);
  await load.stop();

  ok((await patroni.primary()) !== lost, 'no other member is the primary');
  await repeatLost(server.url, ledger);
  await audit(server.url, ledger);
  assertDecent(ledger);
  const key = await call(`/v1/keys/${ended.id}`);
  ok(key.revoked_at, 'the revocation is lost');
  // The feed still works: a newly created key is accepted, and a newly revoked key is rejected.
  const later = await ground.issue();
  await until(() => node.verify(later.key).allowed);
  await revokeCompletely(server.url, ledger, later.id);
  equal(node.verify(later.key).allowed, false);
  equal(node.verify(ended.key).allowed, false);

  // PostgreSQL stops waiting for its replica, so the commit exists only on the primary.
  await patroni.tell("alter system set synchronous_standby_names = 'gone'");
  await patroni.tell('select pg_reload_conf()');
  const unconfirmed = await firstRefused(server.url, ledger);
  equal(unconfirmed.status, 503);
  equal(Object(unconfirmed.body.error).outcome, 'unknown');
  await rejects(commitWithoutWaiting((await patroni.primary()).port), /synchronous replica/);
});

/** Cancels a waiting commit, as an operator might. PostgreSQL then reports it as committed. */
async function commitWithoutWaiting(port: number): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'keyrail' });
  await client.connect();
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const committed = new Promise<void>((resolve, reject) => {
      const settle = (error: Error | null) => (error ? reject(error) : resolve());
      const statement = { text: 'create table unconfirmed ()', values: [] };
      client.query(new Batch([statement], SERVED_MS_MAX, settle));
    });
    const waits = `select pg_cancel_backend(pid) from pg_stat_activity
      where pid = ${Number(rows[0].pid)} and wait_event = 'SyncRep'`;
    const cancelled = until(async () => (await patroni.tell(waits)).length > 0, SERVED_MS_MAX);
    await Promise.all([committed, cancelled]);
  } finally {
    await client.end();
  }
}

/** The response to the first write that is not acknowledged. */
async function firstRefused(url: string, ledger: Ledger) {
  for (let n = 0; n < WRITES; n += 1) {
    const outcome = await writeOnce(url, ledger);
    ok(outcome.kind === 'answered', JSON.stringify(outcome));
    if (outcome.status !== 201) return outcome;
  }
  throw new Error('writes without a replica are acknowledged');
}

/** While no write succeeds, a client waits before it retries. */
async function writing(url: string, ledger: Ledger): Promise<void> {
  const outcome = await writeOnce(url, ledger);
  if (outcome.kind !== 'answered' || outcome.status !== 201) await sleep(PAUSE_MS);
}

const written = ({ acknowledged }: Ledger, count: number) =>
  until(() => acknowledged.size >= count, SERVED_MS_MAX);

async function newGround(call: Caller) {
  const { id: projectId } = await call('/v1/projects', { name: 'Orders', slug: 'orders' });
  const { id: tenantId } = await call('/v1/tenants', { external_id: 'a' });
  const body = { project_id: projectId, tenant_id: tenantId, env: 'live' };
  return {
    projectId: String(projectId),
    issue: async () => {
      const { id, key } = await call('/v1/keys', body);
      return { id: String(id), key: String(key) };
    },
  };
}

async function revokeCompletely(url: string, { token }: Ledger, id: string): Promise<void> {
  const path = `/v1/keys/${id}/revoke?wait=true`;
  const { propagation } = await answer(url, { method: 'POST', path, token, body: {} });
  equal(Object(propagation).complete, true, JSON.stringify(propagation));
}
