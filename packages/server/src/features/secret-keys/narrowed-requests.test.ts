// Requests that begin before their secret key is narrowed or revoked, and are still running
// afterwards.
import { equal } from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';

const narrow = 'PATCH /v1/secret_keys/{id}';
const revoke = 'POST /v1/secret_keys/{id}/revoke';

/** Creates a tenant, and a secret key limited to two projects. */
async function ground(t: TestContext) {
  const app = await harness(t);
  const kept = await app.given.project();
  const lost = await app.given.project();
  const { id: tenant_id } = await app.given.tenant();
  const made = await app.as.liveKey('POST /v1/secret_keys', {
    env: 'live',
    permissions: ['keys:write', 'keys:read', 'policy:read'],
    project_ids: [kept.id, lost.id],
    networks: ['127.0.0.0/8', '10.0.0.0/8'],
  });
  const body = { project_id: lost.id, tenant_id, env: 'live' };
  return { app, made, kept, lost, body };
}

type Ground = Awaited<ReturnType<typeof ground>>;

const changes: [string, number, (on: Ground) => Promise<unknown>][] = [
  ['revoking the key', 401, ({ app, made: { id } }) => app.as.liveKey(revoke, { id })],
  ["removing the key's permission", 403, (on) => narrowTo(on, { permissions: ['keys:read'] })],
  ["removing the key's network", 403, (on) => narrowTo(on, { networks: ['10.0.0.0/8'] })],
  ["removing the key's project", 404, (on) => narrowTo(on, { project_ids: [on.kept.id] })],
];

const narrowTo = ({ app, made: { id } }: Ground, limits: Input) =>
  app.as.liveKey(narrow, { id, ...limits });

/** Sends the first byte of the body, runs `meanwhile`, and then sends the rest. */
const sendSlowly = (
  { testApp }: Harness,
  { token, body, meanwhile }: { token: string; body: object; meanwhile: () => Promise<unknown> },
) => {
  const text = JSON.stringify(body);
  const payload = Readable.from(
    (async function* () {
      yield text.slice(0, 1);
      await sleep(250);
      await meanwhile();
      yield text.slice(1);
    })(),
  );
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return testApp.app.http.inject({ method: 'POST', url: '/v1/keys', headers, payload });
};

for (const [what, status, change] of changes) {
  test(`${what} affects a request whose body is still being received`, async (t) => {
    const on = await ground(t);
    const { app, made, body } = on;
    const meanwhile = () => change(on);
    const answer = await sendSlowly(app, { token: made.key, body, meanwhile });
    equal(answer.statusCode, status, answer.body);
    equal((await app.as.liveKey('GET /v1/keys')).data.length, 0);
  });

  test(`${what} takes effect on a held poll before the poll returns any more changes`, async (t) => {
    const on = await ground(t);
    const { app, made, lost, body } = on;
    const call = app.as.token(made.key);
    const snapshot = await call('GET /v1/policy/snapshot', { project_id: lost.id });
    const query = { project_id: lost.id, since: Object(snapshot).version, wait_ms: 20_000 };
    const headers = { authorization: `Bearer ${made.key}` };
    const poll = app.ask('GET /v1/policy/delta', query, headers);
    await sleep(200);
    await change(on);
    await app.as.liveKey('POST /v1/keys', body);
    equal((await poll).status, status);
  });
}

test('a request with a slow body is accepted if its key has not been changed in the meantime', async (t) => {
  const { app, made, body } = await ground(t);
  const meanwhile = async () => {};
  equal((await sendSlowly(app, { token: made.key, body, meanwhile })).statusCode, 201);
});

test('a replay does not reveal the contents of a project that the key can no longer access', async (t) => {
  const on = await ground(t);
  const { app, made, kept, body } = on;
  const headers = { authorization: `Bearer ${made.key}`, 'idempotency-key': 'once' };
  const create = () => app.ask('POST /v1/keys', { ...body, name: 'Payroll' }, headers);
  const { body: first } = await create();
  equal((await create()).body.id, first.id);
  await narrowTo(on, { project_ids: [kept.id] });
  const replay = await create();
  equal(replay.status, 422);
  equal(replay.text.includes('Payroll'), false);
});
