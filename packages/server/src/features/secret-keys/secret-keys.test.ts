// The secret key endpoints: creating, rotating, revoking, and what a key can access.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, harness, messageOf, refused } from '@keyrail/testing/harness.ts';

const create = 'POST /v1/secret_keys';
const list = 'GET /v1/secret_keys';
const read = 'GET /v1/secret_keys/{id}';
const rotate = 'POST /v1/secret_keys/{id}/rotate';
const revoke = 'POST /v1/secret_keys/{id}/revoke';

const HOUR_MS = 3_600_000;
const isoAfter = (start: string | Date, ms: number) =>
  new Date(new Date(start).getTime() + ms).toISOString();

test('a new key is shown once and works immediately', async (t) => {
  const { as } = await harness(t);
  const made = await as.liveKey(create, { env: 'live', name: 'backend', meta: { team: 'api' } });

  match(made.key, /^krsk_live_[\w-]{43}[0-9a-f]{8}$/);
  equal(made.display_prefix, made.key.slice(0, 16));
  equal(made.key_shown_once, true);
  deepEqual(made.meta, { team: 'api' });

  const again = await as.token(made.key)(read, { id: made.id });
  equal('key' in again, false);
  equal(again.name, 'backend');
});

test('after a rotation, both keys work until the overlap ends, then only the new one', async (t) => {
  const { as, clock } = await harness(t);
  const old = await as.liveKey(create, { env: 'live', name: 'backend' });
  const next = await as.liveKey(rotate, { id: old.id, overlap_hours: 2 });

  equal(next.rotated_from, old.id);
  equal(next.name, 'backend');
  equal(next.expires_at, null);
  equal(next.previous_key.id, old.id);
  await as.token(old.key)('GET /v1/workspace');
  await as.token(next.key)('GET /v1/workspace');

  clock.shift(2 * HOUR_MS + 1000);
  await refused(as.token(old.key)('GET /v1/workspace'), 401, 'invalid_key');
  await as.token(next.key)('GET /v1/workspace');
});

test('with an overlap of 0, the old key stops working immediately; with 0.5, after half an hour', async (t) => {
  const { as } = await harness(t);
  const first = await as.liveKey(create, { env: 'live' });
  const now = await as.liveKey(rotate, { id: first.id, overlap_hours: 0 });
  equal(now.previous_key.expires_at, now.created_at);
  await refused(as.token(first.key)('GET /v1/workspace'), 401, 'invalid_key');

  const half = await as.liveKey(rotate, { id: now.id, overlap_hours: 0.5 });
  equal(half.previous_key.expires_at, isoAfter(half.created_at, HOUR_MS / 2));
});

test('a rotation never extends an expiry', async (t) => {
  const { as, clock } = await harness(t);
  const soon = isoAfter(clock.now(), HOUR_MS);
  const old = await as.liveKey(create, { env: 'live', expires_at: soon });

  const next = await as.liveKey(rotate, { id: old.id, overlap_hours: 24 });
  equal(next.previous_key.expires_at, soon);
  equal(next.expires_at, soon, 'the new key inherits the expiry that the vendor set');

  const again = await as.liveKey(rotate, { id: old.id, overlap_hours: 168 });
  equal(again.previous_key.expires_at, soon);

  clock.shift(HOUR_MS + 1000);
  const late = await as.liveKey(create, { env: 'live' });
  const answer = await refused(as.token(late.key)(rotate, { id: old.id }), 409, 'conflict');
  equal(messageOf(answer), 'An expired key cannot be rotated.');
});

test('a key created by a rotation does not inherit the expiry that an overlap gave the old key', async (t) => {
  const { as } = await harness(t);
  const old = await as.liveKey(create, { env: 'live' });
  await as.liveKey(rotate, { id: old.id, overlap_hours: 1 });
  const second = await as.liveKey(rotate, { id: old.id, overlap_hours: 48 });
  equal(second.expires_at, null);
});

test('a revoked key is rejected on the next request', async (t) => {
  const { as } = await harness(t);
  const key = await as.liveKey(create, { env: 'live' });
  const revoked = await as.liveKey(revoke, { id: key.id, reason: 'left the team' });
  equal(revoked.revoked_reason, 'left the team');
  ok(revoked.revoked_at);

  const answer = await refused(as.token(key.key)(list), 401, 'invalid_key');
  equal(messageOf(answer), 'Invalid API key.');
  equal(answer.headers['www-authenticate'], 'Bearer');
  const conflict = await refused(as.liveKey(rotate, { id: key.id }), 409, 'conflict');
  equal(messageOf(conflict), 'A revoked key cannot be rotated.');
});

test('revoking a revoked key changes nothing and writes no audit entry', async (t) => {
  const { as } = await harness(t);
  const key = await as.liveKey(create, { env: 'live' });
  const first = await as.liveKey(revoke, { id: key.id, reason: 'one' });
  const { head_seq: before } = await as.liveKey('GET /v1/audit_logs/chain');
  const second = await as.liveKey(revoke, { id: key.id, reason: 'two' });
  deepEqual(second, first);
  equal((await as.liveKey('GET /v1/audit_logs/chain')).head_seq, before);
});

test('a key created with an expiry in the past never works', async (t) => {
  const { as } = await harness(t);
  const key = await as.liveKey(create, { env: 'live', expires_at: '2020-02-29T12:00:00+02:00' });
  equal(key.expires_at, '2020-02-29T10:00:00.000Z');
  await refused(as.token(key.key)(list), 401, 'invalid_key');
});

test('a test key can read and change only test keys', async (t) => {
  const { as } = await harness(t);
  const live = await as.liveKey(create, { env: 'live' });
  const own = await as.testKey(create, { env: 'test' });

  const seen = (await as.testKey(list)).data;
  ok(seen.every(({ env }) => env === 'test'));
  ok(seen.some(({ id }) => id === own.id));
  for (const line of [read, rotate, revoke] as const) {
    const answer = await refused(as.testKey(line, { id: live.id }), 403, 'forbidden');
    equal(messageOf(answer), 'A test secret key cannot manage live resources.');
  }
  await refused(as.testKey(create, { env: 'live' }), 403, 'forbidden');
  await as.liveKey(read, { id: own.id });
});

test('another workspace’s key gets the same response as an unknown ID', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const key = await theirs.as.liveKey(create, { env: 'test' });
  const unknown = '01890000-0000-7000-8000-000000000000';
  for (const caller of [mine.as.liveKey, mine.as.testKey]) {
    for (const line of [read, rotate, revoke] as const) {
      const foreign = await refused(caller(line, { id: key.id }), 404, 'not_found');
      const missing = await refused(caller(line, { id: unknown }), 404, 'not_found');
      equal(foreign.text, missing.text);
    }
  }
});

test('secret keys are listed newest first, in pages', async (t) => {
  const { as, ask, tokens } = await harness(t);
  for (let n = 0; n < 5; n += 1) await as.liveKey(create, { env: 'live', name: `k${n}` });
  const all = (await as.liveKey(list)).data;
  const sorted = all.toSorted((a, b) =>
    `${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? 1 : -1,
  );
  deepEqual(all, sorted);

  const authorization = `Bearer ${tokens.liveKey}`;
  const walked: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(list, { limit: 2, ...(cursor && { cursor }) }, { authorization });
    walked.push(...(Array.isArray(page.body.data) ? page.body.data : []));
    cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
  } while (cursor && walked.length < 100);
  deepEqual(walked, all);
});

test('a cursor from a different list or workspace is rejected', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  for (let n = 0; n < 2; n += 1) await theirs.as.liveKey(create, { env: 'live' });
  const authorization = `Bearer ${theirs.tokens.liveKey}`;
  const page = await theirs.ask(list, { limit: 1 }, { authorization });
  const cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1] ?? '';
  notEqual(cursor, '');

  await theirs.as.liveKey(list, { cursor });
  await refused(mine.as.liveKey(list, { cursor }), 400, 'invalid_request');
  await refused(theirs.as.liveKey('GET /v1/audit_logs', { cursor }), 400, 'invalid_request');
  await refused(theirs.as.liveKey(list, { cursor: `${cursor}A` }), 400, 'invalid_request');
  await refused(theirs.as.liveKey(list, { cursor: 'bm90aGluZw' }), 400, 'invalid_request');
});

test('`last_used_at` is updated at most once a minute', async (t) => {
  const { as, clock } = await harness(t);
  const key = await as.liveKey(create, { env: 'live' });
  const used = async () => (await as.liveKey(read, { id: key.id })).last_used_at;
  equal(await used(), null);
  await as.token(key.key)('GET /v1/environments');
  const first = await used();
  ok(first);
  await as.token(key.key)('GET /v1/environments');
  equal(await used(), first);
  clock.shift(61_000);
  await as.token(key.key)('GET /v1/environments');
  notEqual(await used(), first);
});

test('a secret key’s details show its authority, and whether a user or another key created it', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const [founding] = (await app.as.liveKey(list)).data.slice(-1);
  deepEqual([founding?.authority, founding?.created_by], ['owner', null]);
  const byAdmin = await app.as.admin(create, { env: 'live' });
  deepEqual([byAdmin.authority, byAdmin.created_by], ['admin', (await app.people.admin()).userId]);
  const byKey = await app.as.token(byAdmin.key)(create, { env: 'test' });
  deepEqual([byKey.authority, byKey.created_by], ['admin', byAdmin.id]);
  const rotated = await app.as.owner('POST /v1/secret_keys/{id}/rotate', { id: byKey.id });
  deepEqual([rotated.authority, rotated.created_by], ['admin', owner.userId]);
  equal(rotated.previous_key.created_by, byAdmin.id);
});

test('every response that contains a secret key shows its state', async (t) => {
  const { as, clock } = await harness(t);
  const made = (days: number) =>
    as.liveKey(create, { env: 'live', expires_at: isoAfter(clock.now(), days * 24 * HOUR_MS) });
  const states = new Map<string, string>();
  const active = await made(15);
  const expiring = await made(14);
  for (const { id, state } of [active, expiring]) states.set(id, state);
  const { id, state, previous_key } = await as.liveKey(rotate, { id: active.id, overlap_hours: 0 });
  states.set(id, state).set(previous_key.id, previous_key.state);
  const revoked = await as.liveKey(revoke, { id: (await made(1)).id });
  states.set(revoked.id, revoked.state);
  const leaked = await made(15);
  const reports = [{ token: leaked.key, type: 'keyrail_key', url: '', source: 'content' }];
  await as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports });
  states.set(leaked.id, (await as.liveKey(read, { id: leaked.id })).state);

  deepEqual([...states.values()], ['expired', 'expiring', 'active', 'revoked', 'quarantined']);
  for (const key of (await as.liveKey(list)).data) {
    deepEqual(await as.liveKey(read, { id: key.id }), key);
    equal(key.state, states.get(key.id) ?? 'active');
  }
  clock.shift(16 * 24 * HOUR_MS);
  const later = (await as.liveKey(list)).data.map((key) => [key.id, key.state] as const);
  deepEqual(
    later
      .filter((key) => states.has(key[0]))
      .map(([, last]) => last)
      .toSorted(),
    ['expired', 'expired', 'expired', 'quarantined', 'revoked'],
  );
});

test('listing secret keys by ID includes revoked keys', async (t) => {
  const app = await harness(t);
  const { as } = app;
  const live = await as.liveKey(create, { env: 'live' });
  const trial = await as.liveKey(create, { env: 'test' });
  await as.liveKey(create, { env: 'live' }); // not requested
  await as.liveKey(revoke, { id: live.id });
  await as.token(trial.key)('GET /v1/workspace');
  const stranger = await (await harness(t)).as.liveKey(create, { env: 'live' });
  const id = [live.id, stranger.id, app.workspaceId, trial.id, live.id];
  const { data } = await as.liveKey(list, { id });
  deepEqual(data, [
    await as.liveKey(read, { id: trial.id }),
    await as.liveKey(read, { id: live.id }),
  ]);
  const found = async (call: Caller, query: object) =>
    (await call(list, { ...query })).data.map((key) => key.id);
  deepEqual(await found(as.liveKey, { id, limit: 1 }), [trial.id]);
  deepEqual(await found(as.testKey, { id }), [trial.id]);
  deepEqual(await found(as.liveKey, { id: stranger.id }), []);
  const tooMany = Array.from({ length: 101 }, () => live.id);
  await refused(as.liveKey(list, { id: tooMany }), 400, 'invalid_request');
});
