// Lists and counts of keys by state and last use, compared with the full set of keys.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type KeyState, keyStates } from '@keyrail/protocol/wire/key-states.ts';
import {
  type Caller,
  type Harness,
  harness,
  type Input,
  refused,
} from '@keyrail/testing/harness.ts';
import { operationsOf } from '@keyrail/testing/operations.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { DAY_MS } from '../../base/duration.ts';
import { quarantineKey } from './quarantine-key.ts';

const list = 'GET /v1/keys';
const counts = 'GET /v1/keys/counts';
const summary = 'GET /v1/workspace/summary';
type Key = Awaited<ReturnType<typeof everyKey>>[number];

const everyKey = async (caller: Caller) =>
  (await caller(list, { include_revoked: true, limit: 200 })).data;

/**
 * Computes a key's state as documented (the first state that applies), independently of the server.
 */
function stateOf(key: Key, now: Date): KeyState {
  const endsIn = key.expires_at === null ? Infinity : Date.parse(key.expires_at) - now.getTime();
  if (key.revoked_at) return 'revoked';
  if (key.quarantined_at) return 'quarantined';
  if (key.disabled_at) return 'disabled';
  if (endsIn <= 0) return 'expired';
  return endsIn <= 14 * DAY_MS ? 'expiring' : 'active';
}

const isUnused = (key: Key, now: Date, days: number): boolean =>
  Date.parse(key.last_used_at ?? key.created_at) <= now.getTime() - days * DAY_MS &&
  Date.parse(key.created_at) <= now.getTime() - days * DAY_MS;

/**
 * Creates keys in every state and with various expiries, in two projects, two tenants and both
 * environments.
 */
async function everyState(app: Harness): Promise<{ projects: string[]; tenants: string[] }> {
  const { as, given, clock } = app;
  const projects = [(await given.project()).id, (await given.project()).id];
  const tenants = [(await given.tenant()).id, (await given.tenant()).id];
  const begin = clock.now().getTime();
  let made = 0;
  for (const env of ['live', 'test'] as const) {
    for (const expiresInDays of [null, 1, 10, 60]) {
      for (const decisions of [
        '',
        'disable',
        'quarantine',
        'revoke',
        'disable quarantine revoke',
      ]) {
        made += 1;
        const key = await given.key({
          env,
          project_id: projects[made % 2],
          tenant_id: tenants[Math.floor(made / 2) % 2],
          name: `${made % 3 === 0 ? 'Odd' : 'even'} ${made}`,
          ...(expiresInDays && {
            expires_at: new Date(begin + expiresInDays * DAY_MS).toISOString(),
          }),
        });
        if (decisions.includes('disable'))
          await as.liveKey('POST /v1/keys/{id}/disable', { id: key.id });
        if (decisions.includes('quarantine')) {
          await operationsOf(app)((tx) =>
            quarantineKey(tx, { id: key.id, reason: 'found', foundAt: null }),
          );
        }
        if (decisions.includes('revoke'))
          await as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
      }
    }
  }
  clock.shift(2 * DAY_MS);
  return { projects, tenants };
}

test('every key shows its state, and a list by state contains exactly the keys in that state', async (t) => {
  const app = await harness(t);
  const { projects, tenants } = await everyState(app);
  for (const caller of [app.as.liveKey, app.as.testKey]) {
    const keys = await everyKey(caller);
    const now = app.clock.now();
    deepEqual(new Set(keys.map(({ state }) => state)), new Set(keyStates));
    for (const key of keys) {
      equal(key.state, stateOf(key, now), key.name ?? '');
      deepEqual(await caller('GET /v1/keys/{id}', { id: key.id }), key);
    }
    for (const state of keyStates) {
      for (const env of caller === app.as.testKey ? ['test'] : ['', 'live', 'test']) {
        for (const project of ['', projects[0]]) {
          for (const tenant of ['', tenants[1]]) {
            for (const q of ['', 'odd']) {
              const query: Input = {
                ...(env && { env }),
                ...(project && { project_id: project }),
                ...(tenant && { tenant_id: tenant }),
                ...(q && { q }),
              };
              const fits = (key: Key) =>
                stateOf(key, now) === state &&
                (!env || key.env === env) &&
                (!project || key.project_id === project) &&
                (!tenant || key.tenant_id === tenant) &&
                (!q || key.name?.toLowerCase().startsWith(q));
              const { data } = await caller(list, { ...query, state, limit: 200 });
              deepEqual(
                data.map(({ id }) => id),
                keys.filter(fits).map(({ id }) => id),
                JSON.stringify({ ...query, state }),
              );
            }
          }
        }
      }
    }
  }
});

test('counts and the summary match the number of keys in the lists', async (t) => {
  const app = await harness(t);
  const { projects, tenants } = await everyState(app);
  const now = app.clock.now();
  const keys = await everyKey(app.as.liveKey);
  const count = (fits: (key: Key) => boolean) => keys.filter(fits).length;
  for (const env of ['live', 'test'] as const) {
    const { keys: figures } = await app.as.member(summary, { env });
    for (const [state, figure] of Object.entries(figures)) {
      const wanted = count(
        (key) =>
          key.env === env &&
          (state === 'unused'
            ? !key.revoked_at && isUnused(key, now, 90)
            : stateOf(key, now) === state),
      );
      equal(figure, wanted, `${state} in ${env}`);
    }
  }
  for (const [by, ids] of [
    ['project', projects],
    ['tenant', tenants],
  ] as const) {
    const asked = [...ids, app.workspaceId].toReversed();
    const { data } = await app.as.member(counts, { by, id: asked });
    const wanted = ids.toReversed().flatMap((id) =>
      (['live', 'test'] as const).map((env) => {
        const under = (key: Key) => key.env === env && key[`${by}_id`] === id;
        return {
          object: 'key_count',
          project_id: by === 'project' ? id : null,
          tenant_id: by === 'tenant' ? id : null,
          env,
          active: count((key) => under(key) && stateOf(key, now) === 'active'),
          total: count(under),
          counted_max: 1000,
        };
      }),
    );
    deepEqual(data, wanted);
    const ofTest = wanted.filter(({ env }) => env === 'test');
    deepEqual((await app.as.testKey(counts, { by, id: asked })).data, ofTest);
    deepEqual((await app.as.liveKey(counts, { by, id: asked, env: 'test' })).data, ofTest);
  }
});

test('a key counts as unused if it was neither created nor used in the last `unused_days` days', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const used = await given.key();
  await given.key({ env: 'test' });
  const refusedOnly = await given.key();
  clock.shift(50 * DAY_MS);
  const denied = { status: 403, denial_reason: 'insufficient_scope' };
  const events = [eventOf(used, clock.now()), eventOf(refusedOnly, clock.now(), denied)];
  await as.liveKey('POST /v1/ingest/batch', batchOf(events));
  const revoked = await given.key();
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });
  await given.key();
  clock.shift(50 * DAY_MS);
  for (const caller of [as.liveKey, as.testKey]) {
    const keys = await everyKey(caller);
    const now = clock.now();
    for (const days of [1, 49, 50, 51, 90, 99, 101, 365]) {
      for (const include_revoked of [true, false]) {
        const wanted = keys.filter(
          (key) => (include_revoked || !key.revoked_at) && isUnused(key, now, days),
        );
        for (const more of [{}, { q: 'kr_' }]) {
          const query = { unused_days: days, include_revoked, ...more };
          const { data } = await caller(list, query);
          deepEqual(
            data.map(({ id }) => id),
            wanted.map(({ id }) => id),
            JSON.stringify(query),
          );
        }
      }
    }
  }
  const { keys } = await as.liveKey(summary);
  equal(keys.unused, 2);
  equal((await as.liveKey(list, { unused_days: 90, state: 'active' })).data.length, 2);
  equal((await as.liveKey(list, { unused_days: 90, state: 'disabled' })).data.length, 0);
});

test('an invalid `state` or `unused_days` is rejected', async (t) => {
  const { as } = await harness(t);
  const wrong = [{ state: 'old' }, { unused_days: 0 }, { unused_days: 366 }, { unused_days: 1.5 }];
  for (const query of wrong) await refused(as.liveKey(list, query), 400, 'invalid_request');
  const ids = Array.from({ length: 101 }, () => '01890000-0000-7000-8000-000000000000');
  for (const query of [{ by: 'env', id: ids[0] }, { by: 'tenant' }, { by: 'tenant', id: ids }]) {
    await refused(as.liveKey(counts, query), 400, 'invalid_request');
  }
  ok((await as.liveKey(counts, { by: 'tenant', id: ids.slice(1) })).data.length === 0);
});
