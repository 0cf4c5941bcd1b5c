// Requests with an idempotency key: each is carried out only once, and its response is replayed
// without the secret.

import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import {
  type Answer,
  codeOf,
  type Harness,
  harness,
  type Input,
} from '@keyrail/testing/harness.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { allEnvs } from '../../doors/reach.ts';

const HOUR_MS = 3_600_000;
const create = 'POST /v1/keys';
const revoke = 'POST /v1/keys/{id}/revoke';
const newTenant = 'POST /v1/tenants';

type Ask = (line: AnyLine, input: Input, key: string) => Promise<Answer>;

async function opened(t: TestContext): Promise<Harness & { keyed(token: string): Ask; send: Ask }> {
  const app = await harness(t);
  const keyed =
    (token: string): Ask =>
    (line, input, key) =>
      app.ask(line, input, { authorization: `Bearer ${token}`, 'idempotency-key': key });
  return { ...app, keyed, send: keyed(app.tokens.liveKey) };
}

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
const told = (answer: Answer) => `${answer.status} ${codeOf(answer)}`;

const keyIn = async ({ given }: Harness): Promise<Input> => ({
  project_id: (await given.project()).id,
  tenant_id: (await given.tenant()).id,
  env: 'live',
});

/** Returns all data stored for kept responses, as text. */
async function storedIn({ testApp, workspaceId }: Harness): Promise<string> {
  const text = `select encode(key_hash, 'hex') as key_hash, response from kept_responses
    where workspace_id = $1`;
  const ask = { text, values: [workspaceId] };
  const { rows } = await testApp.app.worker.work((tx) => tx.run(ask));
  return JSON.stringify(rows);
}

test('a repeated creation returns the first object without its secret, and writes nothing', async (t) => {
  const app = await opened(t);
  const wanted = await keyIn(app);
  const first = await app.send(create, wanted, 'order-1');
  equal(first.status, 201);
  equal(isReplayed(first), false);
  const { key, ...shown } = first.body;
  const chain = await app.as.liveKey('GET /v1/audit_logs/chain');

  const second = await app.send(create, wanted, 'order-1');
  equal(second.status, 201);
  equal(isReplayed(second), true);
  deepEqual(second.body, { ...shown, key_shown_once: false });
  deepEqual(await app.as.liveKey('GET /v1/audit_logs/chain'), chain);

  const stored = await storedIn(app);
  ok(stored.includes(String(first.body.id)));
  for (const part of [key, String(key).slice(-20), 'order-1']) {
    equal(stored.includes(String(part)), false, 'neither the secret nor the key is stored');
  }
});

test('a request that differs in any way from the first one with the same key is rejected', async (t) => {
  const app = await opened(t);
  const { id } = await app.given.key();
  const other = await app.given.key();
  equal((await app.send(revoke, { id, reason: 'a' }, 'k')).status, 200);
  for (const input of [
    { id, reason: 'b' },
    { id: other.id, reason: 'a' },
    { id, reason: 'a', wait: true },
  ]) {
    equal(told(await app.send(revoke, input, 'k')), '422 idempotency_mismatch');
  }
  equal(told(await app.send(newTenant, { external_id: 'a' }, 'k')), '422 idempotency_mismatch');
  equal((await app.as.liveKey('GET /v1/keys/{id}', { id: other.id })).revoked_at, null);
});

test('different credentials can use the same idempotency key independently', async (t) => {
  const app = await opened(t);
  const owner = await app.people.owner();
  const another = await app.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  const tokens = [app.tokens.liveKey, app.tokens.testKey, another.key, owner.token];
  const made = await Promise.all(
    tokens.map((token, at) => app.keyed(token)(newTenant, { external_id: `${at}` }, 'same')),
  );
  deepEqual(
    made.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  equal(new Set(made.map(({ body }) => body.id)).size, 4);
});

test('a credential that was revoked or has lost its role gets an error instead of a replay', async (t) => {
  const app = await opened(t);
  const { id, key } = await app.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  equal((await app.keyed(key)(newTenant, { external_id: 'a' }, 'k')).status, 201);
  await app.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  equal(told(await app.keyed(key)(newTenant, { external_id: 'a' }, 'k')), '401 invalid_key');

  const { token, userId } = await app.people.admin();
  equal((await app.keyed(token)(newTenant, { external_id: 'b' }, 'k')).status, 201);
  await app.as.owner('PATCH /v1/members/{userId}', { userId, role: 'member' });
  equal(told(await app.keyed(token)(newTenant, { external_id: 'b' }, 'k')), '403 forbidden');
});

test('error responses are not kept, so a repeated request runs again', async (t) => {
  const app = await opened(t);
  const { id } = await app.given.tenant({ external_id: 'taken' });
  equal(told(await app.send(newTenant, { external_id: 'taken' }, 'k')), '409 conflict');
  equal(told(await app.send(newTenant, { external_id: '' }, 'k')), '400 invalid_request');
  await app.as.liveKey('DELETE /v1/tenants/{id}', { id });
  const made = await app.send(newTenant, { external_id: 'taken' }, 'k');
  equal(made.status, 201);
  equal(isReplayed(made), false);
});

test('the response to a request that changed nothing is also kept', async (t) => {
  const app = await opened(t);
  const { id } = await app.given.key();
  await app.as.liveKey(revoke, { id });
  const first = await app.send(revoke, { id }, 'k');
  const second = await app.send(revoke, { id }, 'k');
  deepEqual([first.status, isReplayed(first)], [200, false]);
  deepEqual([second.status, isReplayed(second)], [200, true]);
  deepEqual(second.body, first.body);
  equal(told(await app.send(revoke, { id, reason: 'x' }, 'k')), '422 idempotency_mismatch');
});

test('a replayed revocation waits again until the nodes have applied it', async (t) => {
  const app = await opened(t);
  const { id } = await app.given.key();
  const first = await app.send(revoke, { id, wait: true }, 'k');
  const second = await app.send(revoke, { id, wait: true }, 'k');
  equal(isReplayed(second), true);
  const versionIn = ({ body }: Answer) => Object(body.propagation).version;
  equal(typeof versionIn(first), 'number');
  equal(versionIn(second), versionIn(first));
});

test('only one of several simultaneous requests with the same key creates the object', async (t) => {
  const app = await opened(t);
  const wanted = await keyIn(app);
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.send(create, wanted, 'k')));
  const fresh = answers.filter((answer) => answer.status === 201 && !isReplayed(answer));
  equal(fresh.length, 1);
  for (const answer of answers) {
    if (answer.status === 201) equal(answer.body.id, fresh[0]?.body.id);
    else {
      equal(told(answer), '409 idempotency_in_progress');
      match(answer.headers['retry-after'] ?? '', /^\d+$/);
    }
  }
  const keys = await app.as.liveKey('GET /v1/keys', { project_id: wanted.project_id });
  equal(keys.data.length, 1);
});

test('an idempotency key that is not 1 to 255 visible ASCII characters is rejected', async (t) => {
  const app = await opened(t);
  for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)]) {
    const answer = await app.send(newTenant, { external_id: 'a' }, key);
    equal(told(answer), '400 invalid_request', key);
    match(answer.text, /idempotency-key/);
  }
  equal((await app.send(newTenant, { external_id: 'a' }, 'x'.repeat(255))).status, 201);
});

test('after 24 hours, the idempotency key can be used again, and the worker removes its record', async (t) => {
  const app = await opened(t);
  const purge = () => purgeTables(app.testApp, 'kept_responses');
  const first = await app.send(newTenant, { external_id: 'a' }, 'k');
  app.clock.shift(24 * HOUR_MS - 60_000);
  await purge();
  equal(isReplayed(await app.send(newTenant, { external_id: 'a' }, 'k')), true);
  app.clock.shift(61_000);
  const again = await app.send(newTenant, { external_id: 'b' }, 'k');
  deepEqual([again.status, isReplayed(again)], [201, false]);
  notEqual(again.body.id, first.body.id);
  app.clock.shift(25 * HOUR_MS);
  await purge();
  equal(await storedIn(app), '[]');
  equal(await bytesOf(app), 0);
});

const worker = <T>({ testApp }: Harness, text: string, values: unknown[]) =>
  testApp.db.once(
    {
      role: 'kr_worker',
      scope: { workspaceId: null, envs: allEnvs },
      deadline: { remainingMs: () => 10_000 },
    },
    { text, values },
  ) as Promise<{ rows: T[] }>;

async function bytesOf(app: Harness): Promise<number> {
  const text = `select coalesce(sum(bytes), 0)::int as bytes from kept_response_totals
    where workspace_id = $1`;
  return (await worker<{ bytes: number }>(app, text, [app.workspaceId])).rows[0]?.bytes ?? -1;
}

test('when a workspace exceeds its byte limit in an environment, its oldest idempotency keys in that environment are removed', async (t) => {
  const app = await opened(t);
  const testing = app.keyed(app.tokens.testKey);
  const tenant = (ask: Ask, name: string) => ask(newTenant, { external_id: name }, name);
  await tenant(testing, 'other');
  for (const name of ['a', 'b', 'c']) await tenant(app.send, name);
  const counted = await bytesOf(app);
  ok(counted > 4 * 512);
  // Inflates the byte count, so that the next record exceeds the limit by the size of two records.
  await worker(
    app,
    `update kept_response_totals set bytes = 128 * 1024 * 1024 where env = 'live'
    and workspace_id = $1`,
    [app.workspaceId],
  );
  await app.send(newTenant, { external_id: 'd' }, 'd');
  equal(isReplayed(await tenant(testing, 'other')), true);
  equal(isReplayed(await app.send(newTenant, { external_id: 'd' }, 'd')), true);
  equal(told(await tenant(app.send, 'a')), '409 conflict', 'no longer recognised');
});
