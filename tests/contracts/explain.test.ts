// For each case in a table, an SDK node that follows the real feed and the server's explanation
// must reach the same decision.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { lookupHash, mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { POLICY_EXPIRED_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { retireKeys } from '@keyrail/server/features/policy/retire-keys.job.ts';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import { createNode } from '../../packages/sdk/src/keyrail.ts';
import { manualClock } from '../../packages/sdk/test/manual-clock.ts';
import {
  type ExplainCase,
  explainCases,
  KEY_SCOPES,
  type KeyState,
  LIFE_HOURS,
} from './explain-cases.ts';

const HOUR_MS = 3_600_000;
const explain = 'POST /v1/keys/explain';

type Ground = {
  app: Harness;
  projectId: string;
  keyrail: Keyrail;
  /** Advances the server's and the node's clocks. */
  pass(hours: number): Promise<void>;
};

async function ground(t: TestContext): Promise<Ground> {
  const app = await harness(t);
  const url = await addressOf(app.testApp);
  const { id: projectId } = await app.given.project();
  const clock = manualClock(app.clock.now().getTime());
  const settings = { url, secretKey: app.tokens.liveKey, projectId, telemetry: false as const };
  const keyrail = createNode({ ...settings, log: () => {} }, { clock, fetch });
  t.after(() => keyrail.close());
  await until(() => keyrail.state().version !== null);
  const pass = async (hours: number): Promise<void> => {
    app.clock.shift(hours * HOUR_MS);
    await clock.pass(hours * HOUR_MS);
  };
  return { app, projectId, keyrail, pass };
}

type Made = { id: string; key: string; tenant_id: string };

/** How to put a key into each state. Returns the full key. */
const arrange: Record<KeyState, (ground: Ground, made: Made) => Promise<string>> = {
  active: async (_, { key }) => key,
  revoked: async ({ app }, { id, key }) => {
    await app.as.liveKey('POST /v1/keys/{id}/revoke', { id, reason: 'leaked' });
    return key;
  },
  disabled: async ({ app }, { id, key }) => {
    await app.as.liveKey('POST /v1/keys/{id}/disable', { id });
    return key;
  },
  'disabled and revoked': async ({ app }, { id, key }) => {
    await app.as.liveKey('POST /v1/keys/{id}/disable', { id });
    await app.as.liveKey('POST /v1/keys/{id}/revoke', { id });
    return key;
  },
  'enabled again': async ({ app }, { id, key }) => {
    await app.as.liveKey('POST /v1/keys/{id}/disable', { id });
    await app.as.liveKey('POST /v1/keys/{id}/enable', { id });
    return key;
  },
  expired: async ({ pass }, { key }) => {
    await pass(LIFE_HOURS + 1);
    return key;
  },
  retired: async ({ app, pass }, { key }) => {
    await pass(LIFE_HOURS + POLICY_EXPIRED_KEPT_DAYS * 24 + 1);
    await retireKeys(app.testApp.app.worker);
    return key;
  },
  rotated: async ({ app }, { id, key }) => {
    await app.as.liveKey('POST /v1/keys/{id}/rotate', { id, overlap_hours: 24 });
    return key;
  },
  successor: async ({ app }, { id }) =>
    (await app.as.liveKey('POST /v1/keys/{id}/rotate', { id })).key,
  imported: async (ground) => (await imported(ground)).text,
  'imported and revoked': async (ground) => {
    const { id, text } = await imported(ground);
    await ground.app.as.liveKey('POST /v1/keys/{id}/revoke', { id });
    return text;
  },
  'beside an imported key': async (ground) => {
    await imported(ground);
    return 'sk_live_an_unknown_text';
  },
  'a test key imported as live': async (ground) =>
    (await imported(ground, { env: 'live', text: nativeText('test', ground) })).text,
  'a live key imported as test': async (ground) =>
    (await imported(ground, { env: 'test', text: nativeText('live', ground) })).text,
  'of another project': async ({ app }) => (await app.given.key()).key,
  'of a deleted tenant': async ({ app }, { key, tenant_id: id }) => {
    await app.as.liveKey('DELETE /v1/tenants/{id}', { id });
    return key;
  },
  'of a deleted project': async ({ app, projectId }, { key }) => {
    await app.as.liveKey('DELETE /v1/projects/{id}', { id: projectId });
    return key;
  },
  'of another workspace': async () => '',
  'never issued': async () => mintCredential('api_key', 'live', seededBytes('nobody')).secret,
};

/** Returns a string that looks like a Keyrail key but was never issued. */
const nativeText = (env: Env, { projectId }: Ground): string =>
  mintCredential('api_key', env, seededBytes(projectId)).secret;

/** Imports a key, by default one that isn't in Keyrail's own format. */
async function imported(
  { app, projectId }: Ground,
  { env, text }: { env: Env; text: string } = { env: 'live', text: `sk_live_${projectId}` },
): Promise<{ id: string; text: string }> {
  const { id: tenant_id } = await app.given.tenant();
  const as = env === 'live' ? app.as.liveKey : app.as.testKey;
  const { data } = await as('POST /v1/keys/import', {
    project_id: projectId,
    env,
    keys: [
      { tenant_id, lookup_hash: lookupHash(text), display_prefix: 'sk_live_', scopes: KEY_SCOPES },
    ],
  });
  return { id: data[0]?.id ?? '', text };
}

async function textOf(t: TestContext, ground: Ground, each: ExplainCase): Promise<string> {
  const { app, projectId } = ground;
  const ending = { expires_at: new Date(app.clock.now().getTime() + LIFE_HOURS * HOUR_MS) };
  const made = await app.given.key({
    project_id: projectId,
    env: each.keyEnv ?? 'live',
    scopes: KEY_SCOPES,
    expires_at: ending.expires_at.toISOString(),
  });
  const foreign = each.state === 'of another workspace';
  const key = foreign
    ? (await (await harness(t)).given.key()).key
    : await arrange[each.state](ground, made);
  return each.sent?.(key) ?? key;
}

for (const each of explainCases) {
  test(`a node and the explanation agree on ${each.name}`, async (t) => {
    const held = await ground(t);
    const { app, projectId, keyrail, pass } = held;
    const key = await textOf(t, held, each);
    const { env, scopes, afterHours = 0 } = each;
    const at = new Date(app.clock.now().getTime() + afterHours * HOUR_MS).toISOString();
    const asked: Input = { key, project_id: projectId, at, ...(env && { env }) };
    const explained = await app.as.liveKey(explain, { ...asked, ...(scopes && { scopes }) });

    const version = explained.policy_version ?? 0;
    await until(() => (keyrail.state().version ?? 0) >= version);
    await pass(afterHours);
    const route = { ...(env && { env }), ...(scopes && { scopes }) };
    const decided = keyrail.verify(key, route);
    const answer = { allowed: decided.allowed, reason: decided.allowed ? null : decided.reason };
    deepEqual(answer, { allowed: each.reason === null, reason: each.reason }, 'the node');
    deepEqual(
      { allowed: explained.verdict === 'allowed', reason: explained.reason },
      answer,
      JSON.stringify(explained.checks),
    );
    const failed = explained.checks.find(({ outcome }) => outcome === 'fail')?.check ?? null;
    equal(failed, each.fails);
    equal(explained.checks.filter(({ outcome }) => outcome === 'fail').length <= 1, true);
    const order = 'format checksum known project disabled revoked expired environment scopes';
    equal(explained.checks.map(({ check }) => check).join(' '), order);
    for (const { detail } of explained.checks) ok(/^[A-Z].*\.$/.test(detail), detail);
    ok(key.length < 8 || !JSON.stringify(explained.checks).includes(key));
  });
}

test('the cases cover every reason for allowing or denying a key', () => {
  deepEqual(
    [...new Set(explainCases.map(({ reason }) => reason))].toSorted(),
    [
      'expired',
      'insufficient_scope',
      'malformed_key',
      'missing_key',
      null,
      'project_deleted',
      'unknown_key',
      'wrong_environment',
    ].toSorted(),
  );
});

test("a member can request a key's explanation with just the key's ID", async (t) => {
  const app = await harness(t);
  const made = await app.given.key();
  const feed = { project_id: made.project_id };
  await app.as.liveKey('GET /v1/policy/snapshot', { ...feed, node: 'new' });
  const { policy_version: version } = await app.as.liveKey('GET /v1/projects/{id}', {
    id: made.project_id,
  });
  await app.as.liveKey('GET /v1/policy/snapshot', { ...feed, node: 'other' });
  await app.ask(
    'GET /v1/policy/delta',
    { ...feed, since: version, node: 'other' },
    { authorization: `Bearer ${app.tokens.liveKey}` },
  );
  const explained = await app.as.member(explain, { key_id: made.id });
  equal(explained.verdict, 'allowed');
  deepEqual(explained.key, await app.as.liveKey('GET /v1/keys/{id}', { id: made.id }));
  equal(explained.policy_version, version);
  deepEqual(explained.nodes, { total: 2, current: 1 });
  deepEqual(
    explained.checks.filter(({ outcome }) => outcome === 'skipped').map(({ check }) => check),
    ['format', 'checksum', 'environment', 'scopes'],
  );
});

test("keys outside the caller's scope are reported as unknown, whether looked up by full key or by ID", async (t) => {
  const app = await harness(t);
  const other = await (await harness(t)).given.key();
  const live = await app.given.key();
  const beyond: [Harness['as']['liveKey'], Input][] = [
    [app.as.liveKey, { key: other.key }],
    [app.as.liveKey, { key_id: other.id }],
    [app.as.testKey, { key: live.key }],
    [app.as.testKey, { key_id: live.id }],
  ];
  for (const [call, input] of beyond) {
    const { verdict, reason, key, policy_version, nodes } = await call(explain, input);
    deepEqual(
      { verdict, reason, key, policy_version, nodes },
      {
        verdict: 'denied',
        reason: 'unknown_key',
        key: null,
        policy_version: null,
        nodes: { total: 0, current: 0 },
      },
    );
  }
  await refused(
    app.as.liveKey(explain, { key: live.key, project_id: other.project_id }),
    404,
    'not_found',
  );
  await refused(app.as.testKey(explain, { key: live.key, env: 'live' }), 403, 'forbidden');
  await refused(app.as.liveKey(explain, {}), 400, 'invalid_request');
  await refused(
    app.as.liveKey(explain, { key: live.key, key_id: live.id }),
    400,
    'invalid_request',
  );
});
