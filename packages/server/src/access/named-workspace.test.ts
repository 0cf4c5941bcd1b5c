// The `Keyrail-Workspace` header, which names the workspace a caller expects to work in.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, harness, messageOf } from '@keyrail/testing/harness.ts';

const other = '01890000-0000-7000-8000-000000000000';

test('a request that names a different workspace is rejected before anything runs', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  for (const token of [app.tokens.liveKey, owner.token]) {
    const bearer = { authorization: `Bearer ${token}` };
    const right = { ...bearer, 'keyrail-workspace': app.workspaceId.toUpperCase() };
    const wrong = { ...bearer, 'keyrail-workspace': other };
    equal((await app.ask('GET /v1/workspace', {}, right)).status, 200);
    equal((await app.ask('PATCH /v1/workspace', { name: 'Same' }, right)).status, 200);
    for (const line of [
      'GET /v1/keys',
      'POST /v1/projects',
      'DELETE /v1/members/{userId}',
    ] as const) {
      const answer = await app.ask(line, { userId: other }, wrong);
      equal(`${answer.status} ${codeOf(answer)}`, '409 other_workspace', line);
      equal(messageOf(answer), 'This credential belongs to another workspace.');
    }
  }
});

test('the workspace header must be a UUID', async (t) => {
  const app = await harness(t);
  for (const named of ['', 'acme', `${app.workspaceId}, ${app.workspaceId}`]) {
    const headers = { authorization: `Bearer ${app.tokens.liveKey}`, 'keyrail-workspace': named };
    const answer = await app.ask('GET /v1/workspace', {}, headers);
    equal(`${answer.status} ${codeOf(answer)}`, '400 invalid_request', named);
  }
});

test('an unknown credential gets a 401, no matter which workspace the header names', async (t) => {
  const app = await harness(t);
  const headers = { authorization: 'Bearer krsk_live_nope', 'keyrail-workspace': other };
  equal((await app.ask('GET /v1/workspace', {}, headers)).status, 401);
});

test('account endpoints and embed endpoints ignore the workspace header', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const headers = { authorization: `Bearer ${owner.token}`, 'keyrail-workspace': other };
  equal((await app.ask('GET /v1/auth/me', {}, headers)).status, 200);
  equal((await app.ask('GET /healthz', {}, { 'keyrail-workspace': other })).status, 200);
});
