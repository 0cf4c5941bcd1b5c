// Webhook endpoints: which ones each caller may register, and which it can see.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { endpointFor, typesTo } from '@keyrail/testing/webhooks.ts';

const CLOSED = 'http://127.0.0.1:1/hook';
const create = 'POST /v1/webhook_endpoints';
const one = 'GET /v1/webhook_endpoints/{id}';

test('an endpoint can be created, read, changed and removed, and each change is audited', async (t) => {
  const { as } = await harness(t);
  const made = await as.liveKey(create, {
    url: CLOSED,
    events: ['api_key.*'],
    description: 'Hook',
  });
  match(String(made.secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  equal(made.secret_shown_once, true);
  const { secret: _, secret_shown_once: __, ...shown } = made;
  deepEqual(await as.member(one, { id: made.id }), shown);
  deepEqual((await as.liveKey('GET /v1/webhook_endpoints')).data, [shown]);
  const changes = { events: ['*'], env: 'live', description: null, url: `${CLOSED}/secret-path` };
  const changed = await as.admin('PATCH /v1/webhook_endpoints/{id}', { id: made.id, ...changes });
  deepEqual({ ...changed, updated_at: shown.updated_at }, { ...shown, ...changes });
  const gone = await as.liveKey('DELETE /v1/webhook_endpoints/{id}', { id: made.id });
  deepEqual(gone, { object: 'webhook_endpoint', id: made.id, deleted: true });
  await refused(as.liveKey(one, { id: made.id }), 404, 'not_found');
  const { data } = await as.liveKey('GET /v1/audit_logs', { target_id: made.id });
  deepEqual(
    data.map(({ action, payload }) => [action, payload]),
    [
      ['webhook_endpoint.created', { host: '127.0.0.1:1', events: ['api_key.*'] }],
      [
        'webhook_endpoint.updated',
        {
          changed: ['events', 'env', 'description', 'url'],
          changes: {
            events: { added: ['*'], removed: ['api_key.*'] },
            env: { from: null, to: 'live' },
            description: { from: 'Hook', to: null },
            url: {},
          },
        },
      ],
      ['webhook_endpoint.deleted', { host: '127.0.0.1:1' }],
    ],
  );
  ok(
    !JSON.stringify(data).includes('secret-path'),
    'the path may contain one of the receiver’s secrets',
  );
});

test('an update that does not change the endpoint is not audited', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED);
  const before = await app.as.liveKey('GET /v1/audit_logs/chain');
  await app.as.liveKey('PATCH /v1/webhook_endpoints/{id}', { id, url: CLOSED, disabled: false });
  deepEqual(await app.as.liveKey('GET /v1/audit_logs/chain'), before);
});

test('a disabled endpoint gets no events until it is enabled again', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events: ['tenant.created'] });
  const patch = (disabled: boolean) =>
    app.as.liveKey('PATCH /v1/webhook_endpoints/{id}', { id, disabled });
  await app.given.tenant();
  ok((await patch(true)).disabled_at);
  await app.given.tenant();
  for (const line of ['POST /v1/webhook_endpoints/{id}/test'] as const) {
    const answer = await refused(app.as.liveKey(line, { id }), 409, 'conflict');
    equal(messageOf(answer), 'The endpoint is disabled.');
  }
  equal((await typesTo(app.testApp, id)).length, 1);
  equal((await patch(false)).disabled_at, null);
  await app.given.tenant();
  equal((await typesTo(app.testApp, id)).length, 2);
});

test('an endpoint’s events, URL and environment are validated', async (t) => {
  const { as } = await harness(t);
  const bad = [
    { events: [] },
    { events: ['api_key.exploded'] },
    { events: ['nothing.*'] },
    { events: ['webhook.test'] },
    { events: ['*', '*'] },
    { events: Array.from({ length: 51 }, () => '*') },
    { url: 'file:///etc/passwd' },
    { url: 'http://user:pass@127.0.0.1/' },
    { url: `http://127.0.0.1/${'x'.repeat(2048)}` },
    { env: 'both' },
  ];
  for (const input of bad) {
    await refused(
      as.liveKey(create, { url: CLOSED, events: ['*'], ...input }),
      400,
      'invalid_request',
    );
  }
});

test('without KEYRAIL_WEBHOOK_PRIVATE, a private address is rejected', async (t) => {
  const app = await harness(t);
  const strict = appBeside(t, app.testApp, { webhookPrivate: false }).as(app.tokens.liveKey);
  const { id } = await endpointFor(app, CLOSED);
  for (const url of [CLOSED, 'https://127.0.0.1/', 'https://[::1]/', 'https://localhost/']) {
    await refused(strict(create, { url, events: ['*'] }), 400, 'invalid_request');
    await refused(strict('PATCH /v1/webhook_endpoints/{id}', { id, url }), 400, 'invalid_request');
  }
});

test('a workspace can have at most 20 endpoints across both environments', async (t) => {
  const app = await harness(t);
  const made: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    made.push((await endpointFor(app, CLOSED, { env: n % 2 === 0 ? 'live' : null })).id);
  }
  const wanted = { url: CLOSED, events: ['*'], env: 'test' };
  for (const call of [app.as.liveKey, app.as.testKey]) {
    const answer = await refused(call(create, wanted), 409, 'conflict');
    equal(messageOf(answer), 'A workspace can have at most 20 webhook endpoints.');
  }
  await app.as.liveKey('DELETE /v1/webhook_endpoints/{id}', { id: made[0] });
  const both = await Promise.allSettled([
    app.as.testKey(create, wanted),
    app.as.liveKey(create, wanted),
  ]);
  deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('a test key can only manage test endpoints', async (t) => {
  const app = await harness(t);
  const { as } = app;
  const live = await endpointFor(app, CLOSED, { env: 'live' });
  const both = await endpointFor(app, CLOSED);
  for (const env of ['live', null]) {
    await refused(as.testKey(create, { url: CLOSED, events: ['*'], env }), 403, 'forbidden');
  }
  const own = await as.testKey(create, { url: CLOSED, events: ['*'], env: 'test' });
  for (const env of ['live', null]) {
    const change = as.testKey('PATCH /v1/webhook_endpoints/{id}', { id: own.id, env });
    await refused(change, 403, 'forbidden');
  }
  const seen = (await as.testKey('GET /v1/webhook_endpoints')).data.map(({ id }) => id);
  deepEqual(seen, [own.id]);
  for (const { id } of [live, both]) await refused(as.testKey(one, { id }), 403, 'forbidden');
});

test('other endpoints still get events after a test key deletes its own endpoint', async (t) => {
  const app = await harness(t);
  const live = await endpointFor(app, CLOSED, { env: 'live', events: ['tenant.created'] });
  const own = await app.as.testKey(create, { url: CLOSED, events: ['*'], env: 'test' });
  await app.as.testKey('DELETE /v1/webhook_endpoints/{id}', { id: own.id });
  await app.given.tenant();
  deepEqual(await typesTo(app.testApp, live.id), ['tenant.created']);
});

test('a rotation creates a different secret, which a replayed response does not contain', async (t) => {
  const app: Harness = await harness(t);
  const { id, secret } = await endpointFor(app, CLOSED);
  const line = 'POST /v1/webhook_endpoints/{id}/rotate_secret';
  const headers = { authorization: `Bearer ${app.tokens.liveKey}`, 'idempotency-key': 'rotate' };
  const first = await app.ask(line, { id }, headers);
  match(String(first.body.secret), /^whsec_/);
  notEqual(first.body.secret, secret);
  const second = await app.ask(line, { id }, headers);
  deepEqual([second.body.secret, second.body.secret_shown_once], [undefined, false]);
  await refused(app.as.liveKey(line, { id, overlap_hours: 169 }), 400, 'invalid_request');
});
