// Concurrent requests get the same responses as if they had run one after the other, in some order.
// Where only one may succeed, exactly one does. No response is a 5xx.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { type Answer, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';

const AT_ONCE = 30;
const rotate = 'POST /v1/keys/{id}/rotate';
const revoke = 'POST /v1/keys/{id}/revoke';
const deleteTenant = 'DELETE /v1/tenants/{id}';
const deleteProject = 'DELETE /v1/projects/{id}';

type Call = [line: AnyLine, input: Input];

const times = (count: number, call: Call): Call[] => Array.from({ length: count }, () => call);

/** Sends all requests at the same time, and waits for all responses. */
async function together({ ask, tokens }: Harness, calls: Call[]): Promise<Answer[]> {
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  const answers = await Promise.all(calls.map(([line, input]) => ask(line, input, headers)));
  for (const { status, text } of answers) ok(status < 500, text);
  return answers;
}

const countOf = (answers: Answer[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length;

/** Asserts the number of responses with each status. */
function expect(answers: Answer[], wanted: Record<number, number>): void {
  for (const [status, count] of Object.entries(wanted)) {
    equal(countOf(answers, Number(status)), count, `responds with ${status}`);
  }
}

const activeUnder = async ({ as }: Harness, filter: Input) =>
  (await as.liveKey('GET /v1/keys', { ...filter, limit: 200 })).data.length;

/**
 * Asserts that the audit chain is valid, and that the version matches the number of policy changes.
 */
async function checkLog({ as }: Harness, projectId: string): Promise<void> {
  const chain = await as.liveKey('GET /v1/audit_logs/chain');
  equal(chain.verified, true);
  const policy = new Set(
    ['created', 'updated', 'rotated', 'revoked'].map((verb) => `api_key.${verb}`),
  );
  const { data } = await as.liveKey('GET /v1/audit_logs', { limit: 200 });
  equal(data.length, chain.head_seq, 'the log fits on one page');
  const { policy_version } = await as.liveKey('GET /v1/projects/{id}', { id: projectId });
  equal(policy_version - 1, data.filter(({ action }) => policy.has(action)).length);
}

test('only one of several concurrent requests to create a project with the same slug succeeds', async (t) => {
  const app = await harness(t);
  const call: Call = ['POST /v1/projects', { name: 'Orders', slug: 'orders' }];
  const answers = await together(app, times(AT_ONCE, call));
  expect(answers, { 201: 1, 409: AT_ONCE - 1 });
  equal((await app.as.liveKey('GET /v1/projects')).data.length, 1);
});

test('only one of several concurrent requests to create a tenant with the same external ID succeeds', async (t) => {
  const app = await harness(t);
  const answers = await together(
    app,
    times(AT_ONCE, ['POST /v1/tenants', { external_id: 'blue' }]),
  );
  expect(answers, { 201: 1, 409: AT_ONCE - 1 });
  equal((await app.as.liveKey('GET /v1/tenants')).data.length, 1);
});

test('keys created concurrently all exist, and each increments the policy version', async (t) => {
  const app = await harness(t);
  const { id: project_id } = await app.given.project();
  const { id: tenant_id } = await app.given.tenant();
  const place = { project_id, tenant_id, env: 'live' };
  const answers = await together(app, times(AT_ONCE, ['POST /v1/keys', place]));
  expect(answers, { 201: AT_ONCE });
  equal(new Set(answers.map(({ body }) => body.key)).size, AT_ONCE);
  equal(await activeUnder(app, { project_id }), AT_ONCE);
  await checkLog(app, project_id);
});

for (const [parent, line] of [
  ['tenant', deleteTenant],
  ['project', deleteProject],
] as const) {
  test(`no key stays active if its ${parent} is deleted while keys are being created`, async (t) => {
    const app = await harness(t);
    for (let round = 0; round < 4; round += 1) {
      const { id: project_id } = await app.given.project();
      const { id: tenant_id } = await app.given.tenant();
      const place = { project_id, tenant_id, env: round % 2 ? 'live' : 'test' };
      const id = parent === 'tenant' ? tenant_id : project_id;
      const create: Call = ['POST /v1/keys', place];
      const calls = [...times(10, create), [line, { id }] satisfies Call, ...times(10, create)];
      const answers = await together(app, calls);
      const made = countOf(answers, 201);
      const deleted = answers.find(({ body }) => body.deleted === true);
      expect(answers, { 200: 1, 404: 20 - made });
      equal(deleted?.body.revoked_keys, made);
      equal(await activeUnder(app, { project_id }), 0);
    }
    equal((await app.as.liveKey('GET /v1/audit_logs/chain')).verified, true);
  });

  test(`only one of several concurrent deletions of the same ${parent} succeeds`, async (t) => {
    const app = await harness(t);
    const { id: project_id } = await app.given.project();
    const { id: tenant_id } = await app.given.tenant();
    const place = { project_id, tenant_id, env: 'live' };
    await together(app, times(5, ['POST /v1/keys', place]));
    const id = parent === 'tenant' ? tenant_id : project_id;
    const answers = await together(app, times(20, [line, { id }]));
    expect(answers, { 200: 1, 404: 19 });
    equal(answers.find(({ status }) => status === 200)?.body.revoked_keys, 5);
  });

  test(`no new key stays active if its ${parent} is deleted while keys are being rotated`, async (t) => {
    const app = await harness(t);
    for (let round = 0; round < 4; round += 1) {
      const { id: project_id } = await app.given.project();
      const { id: tenant_id } = await app.given.tenant();
      const place = { project_id, tenant_id, env: 'live' };
      const made = await together(app, times(8, ['POST /v1/keys', place]));
      const turns = made.map(({ body }): Call => [rotate, { id: body.id }]);
      const id = parent === 'tenant' ? tenant_id : project_id;
      const answers = await together(app, [...turns, [line, { id }], ...turns]);
      const rotated = answers.filter(({ body }) => body.rotated_from).length;
      const deleted = answers.find(({ body }) => body.deleted === true);
      equal(deleted?.body.revoked_keys, 8 + rotated);
      expect(answers, { 200: 1 + rotated, 409: 16 - rotated });
      equal(await activeUnder(app, { project_id }), 0);
    }
  });
}

test('concurrent deletions of a tenant and a project revoke each key once', async (t) => {
  const app = await harness(t);
  const { id: project_id } = await app.given.project();
  const { id: tenant_id } = await app.given.tenant();
  const other = await app.given.tenant();
  const makers = [tenant_id, other.id].flatMap((tenant) =>
    times(8, ['POST /v1/keys', { project_id, tenant_id: tenant, env: 'live' }]),
  );
  await together(app, makers);
  const answers = await together(app, [
    [deleteTenant, { id: tenant_id }],
    [deleteProject, { id: project_id }],
    [deleteTenant, { id: other.id }],
  ]);
  expect(answers, { 200: 3 });
  equal(
    answers.reduce((sum, { body }) => sum + Number(body.revoked_keys), 0),
    makers.length,
  );
});

test('only the first of several concurrent revocations of a key takes effect, and all get the same response', async (t) => {
  const app = await harness(t);
  const { id, project_id } = await app.given.key();
  const calls = Array.from({ length: AT_ONCE }, (_, n): Call => [revoke, { id, reason: `${n}` }]);
  const answers = await together(app, calls);
  expect(answers, { 200: AT_ONCE });
  equal(new Set(answers.map(({ text }) => text)).size, 1);
  await checkLog(app, project_id);
});

test('all concurrent rotations of a key succeed, and the earliest expiry applies', async (t) => {
  const app = await harness(t);
  const { id, project_id } = await app.given.key();
  const hours = [48, 1, 168, 2, 24, 1, 72, 3, 9, 2];
  const answers = await together(
    app,
    hours.map((overlap_hours): Call => [rotate, { id, overlap_hours }]),
  );
  expect(answers, { 200: hours.length });
  const ends = answers.map(({ body }) =>
    String(Reflect.get(Object(body.previous_key), 'expires_at')),
  );
  const { expires_at } = await app.as.liveKey('GET /v1/keys/{id}', { id });
  equal(expires_at, ends.toSorted()[0]);
  await checkLog(app, project_id);
});

test('a key that is revoked while it is being rotated stays revoked', async (t) => {
  const app = await harness(t);
  const { id, project_id } = await app.given.key();
  const calls = [...times(6, [rotate, { id }]), ...times(3, [revoke, { id }])];
  const answers = await together(app, [...calls, ...times(6, [rotate, { id }])]);
  const rotated = answers.filter(({ body }) => body.rotated_from === id).length;
  expect(answers, { 200: rotated + 3, 409: 12 - rotated });
  ok((await app.as.liveKey('GET /v1/keys/{id}', { id })).revoked_at);
  equal(await activeUnder(app, { project_id }), rotated);
  await checkLog(app, project_id);
});

test('concurrent changes to different fields of a key are all kept', async (t) => {
  const app = await harness(t);
  const { id, project_id } = await app.given.key();
  const wanted = { name: 'n', scopes: ['s'], meta: { m: 1 }, rate_limits: [] };
  const calls = Object.entries(wanted).map(
    ([field, value]): Call => ['PATCH /v1/keys/{id}', { id, [field]: value }],
  );
  expect(await together(app, calls), { 200: 4 });
  const now = await app.as.liveKey('GET /v1/keys/{id}', { id });
  for (const [field, value] of Object.entries(wanted)) deepEqual(Reflect.get(now, field), value);
  await checkLog(app, project_id);
});
