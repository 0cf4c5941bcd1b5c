// Finding keys with `q`, by any part of their name, display prefix or ID, and with `id`, by known
// IDs.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, harness, refused } from '@keyrail/testing/harness.ts';

const list = 'GET /v1/keys';

const found = async (call: Caller, input: Record<string, unknown>) =>
  (await call(list, input)).data.map(({ id }) => id);

test('a search finds a key by any part of its name, prefix or ID, and ignores case', async (t) => {
  const { as, given } = await harness(t);
  const key = await given.key({ name: 'Backend, Berlin 100%_' });
  const other = await given.key({ name: 'A backend' });
  for (const q of ['b', 'BA', 'lin', 'D, BERLIN', '100%_', 'backend, berlin 100%_']) {
    deepEqual(await found(as.liveKey, { q }), [key.id], q);
  }
  for (const q of ['ackend', 'BACK', 'end']) {
    deepEqual(await found(as.liveKey, { q }), [other.id, key.id], q);
  }
  for (const one of [key, other]) {
    const prefix = one.display_prefix;
    for (const q of [prefix, prefix.slice(8).toUpperCase(), one.id, one.id.slice(9)]) {
      deepEqual(await found(as.liveKey, { q }), [one.id], q);
    }
    for (const q of ['kr_', 'kr_live_', one.id.slice(0, 2)]) {
      deepEqual(await found(as.liveKey, { q }), [other.id, key.id], q);
    }
  }
  for (const q of ['ac', 'nd', 'backend%', 'b_ckend', 'k_', `${key.id}0`, 'ß', '%', '%_%']) {
    deepEqual(await found(as.liveKey, { q }), [], q);
  }
  // The search text is longer than a display prefix, so it may be the beginning of a full key.
  await refused(as.liveKey(list, { q: `${key.display_prefix}0` }), 400, 'invalid_request');
});

test("a list finds a tenant's keys by the tenant's name or external ID", async (t) => {
  const { as, given } = await harness(t);
  const tenant = await given.tenant({ name: 'Globex Corporation', external_id: 'cust_1042' });
  const one = await given.key({ tenant_id: tenant.id, name: 'One' });
  const two = await given.key({ tenant_id: tenant.id, name: 'Globe', env: 'test' });
  const other = await given.key({ name: 'Other' });
  for (const q of ['globex', 'CORPO', 'cust_1042', '1042', tenant.id]) {
    deepEqual(await found(as.liveKey, { q }), [two.id, one.id], q);
    deepEqual(await found(as.liveKey, { q, env: 'live' }), [one.id], q);
    deepEqual(await found(as.liveKey, { q, project_id: one.project_id }), [one.id], q);
    deepEqual(await found(as.liveKey, { q, state: 'revoked' }), [], q);
    deepEqual(await found(as.liveKey, { q, id: [other.id, one.id] }), [one.id], q);
    deepEqual(await found(as.testKey, { q }), [two.id], q);
  }
  const limited = async (limits: object) =>
    as.token((await as.liveKey('POST /v1/secret_keys', { env: 'live', ...limits })).key);
  const both = await limited({ permissions: ['keys:read', 'tenants:read'] });
  deepEqual(await found(both, { q: 'cust_1042' }), [two.id, one.id]);
  const without = await limited({ permissions: ['keys:read'] });
  for (const more of [{}, { id: [one.id] }]) {
    deepEqual(await found(without, { q: 'cust_1042', ...more }), [], 'it may not read tenants');
  }
  deepEqual(await found(without, { q: 'one' }), [one.id]);
  const elsewhere = await limited({ project_ids: [two.project_id] });
  deepEqual(await found(elsewhere, { q: 'globex' }), [two.id]);
});

test('a key that matches in several fields is listed once', async (t) => {
  const { as, given } = await harness(t);
  const key = await given.key();
  for (const name of [key.id, key.display_prefix]) {
    await as.liveKey('PATCH /v1/keys/{id}', { id: key.id, name });
    deepEqual(await found(as.liveKey, { q: name.slice(0, 3) }), [key.id]);
  }
});

test('a search can be combined with every filter, and returns the newest matches first, in pages', async (t) => {
  const { as, ask, given, tokens } = await harness(t);
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const made: string[] = [];
  for (const name of ['Zulu', 'alpha', 'Alphabet', 'alp', 'Alpha']) {
    made.unshift((await given.key({ project_id, tenant_id, name })).id);
  }
  const [newest = '', , , , zulu = ''] = made;
  await given.key({ name: 'alpha', env: 'test' });
  const place = { project_id, tenant_id, env: 'live' };
  const alphas = made.filter((id) => id !== zulu);
  deepEqual(await found(as.liveKey, { ...place, q: 'ALP' }), alphas);
  equal((await found(as.liveKey, { q: 'alp' })).length, 5);
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: newest });
  deepEqual(await found(as.liveKey, { ...place, q: 'alp' }), alphas.slice(1));
  deepEqual(await found(as.liveKey, { ...place, q: 'alp', include_revoked: true }), alphas);

  const walked: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...place, q: 'alp', limit: 2, ...(cursor && { cursor }) };
    const page = await ask(list, query, { authorization: `Bearer ${tokens.liveKey}` });
    const { data } = page.body;
    ok(Array.isArray(data) && data.length <= 2);
    walked.push(...data.map(({ id }) => id));
    cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
  } while (cursor);
  deepEqual(walked, alphas.slice(1));
});

test('a search finds nothing from other workspaces, and a test key finds no live keys', async (t) => {
  const { as, given } = await harness(t);
  const theirs = await (await harness(t)).given.key({ name: 'Theirs' });
  const live = await given.key({ name: 'Mine' });
  const test = await given.key({ name: 'Mine', env: 'test' });
  for (const q of [theirs.id, theirs.display_prefix, 'Theirs']) {
    deepEqual(await found(as.liveKey, { q }), [], q);
  }
  for (const q of [live.id, live.display_prefix]) deepEqual(await found(as.testKey, { q }), [], q);
  deepEqual(await found(as.testKey, { q: 'mine' }), [test.id]);
});

test('a search string must be 1 to 200 characters long', async (t) => {
  const { as } = await harness(t);
  deepEqual(await found(as.liveKey, { q: 'ä'.repeat(200) }), []);
  deepEqual(await found(as.liveKey, { q: '\u{10ffff}' }), []);
  for (const q of ['', 'x'.repeat(201), 'a\u0000', ['a', 'b']]) {
    await refused(as.liveKey(list, { q }), 400, 'invalid_request');
  }
});

test('keys can be listed by ID, alone or together with any other filter', async (t) => {
  const { as, given } = await harness(t);
  const stranger = await (await harness(t)).given.key();
  const { id: project_id } = await given.project();
  const old = await given.key({ project_id, name: 'alpha' });
  const revoked = await given.key({ project_id, name: 'alpha' });
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });
  const trial = await given.key({ project_id, name: 'Zulu', env: 'test' });
  const elsewhere = await given.key();
  await given.key({ project_id }); // not requested
  const id = [old.id, revoked.id, trial.id, elsewhere.id, stranger.id, project_id, old.id];
  const narrow = { env: 'live', project_ids: [project_id] };
  const { key } = await as.liveKey('POST /v1/secret_keys', narrow);

  deepEqual(await found(as.liveKey, { id: old.id }), [old.id]);
  deepEqual(await found(as.liveKey, { id }), [elsewhere.id, trial.id, old.id]);
  const all = { id, include_revoked: true };
  const newestFirst = [elsewhere.id, trial.id, revoked.id, old.id];
  deepEqual(await found(as.liveKey, all), newestFirst);
  deepEqual(await found(as.testKey, all), [trial.id]);
  deepEqual(await found(as.token(key), all), newestFirst.slice(1));
  for (const [filter, expected] of [
    [{ env: 'test' }, [trial.id]],
    [{ project_id }, newestFirst.slice(1)],
    [{ tenant_id: old.tenant_id }, [old.id]],
    [{ state: 'revoked' }, [revoked.id]],
    [{ state: 'active', project_id }, [trial.id, old.id]],
    [{ unused_days: 1 }, []],
    [{ q: 'ALPHA' }, [revoked.id, old.id]],
    [{ q: trial.id.toUpperCase() }, [trial.id]],
  ] as const) {
    deepEqual(await found(as.liveKey, { ...all, ...filter }), expected, JSON.stringify(filter));
  }
});

test('keys listed by ID are paged, and at most 100 IDs are accepted', async (t) => {
  const { as, given, ask, tokens } = await harness(t);
  const { id: project_id } = await given.project();
  const id: string[] = [];
  for (const name of ['a', 'b', 'c']) id.unshift((await given.key({ project_id, name })).id);
  const authorization = `Bearer ${tokens.liveKey}`;
  const { body, headers } = await ask(list, { id, limit: 2 }, { authorization });
  equal(Array.isArray(body.data) && body.data.length, 2);
  const cursor = /cursor=([^&>]+)/.exec(headers.link ?? '')?.[1];
  deepEqual(await found(as.liveKey, { id, limit: 2, cursor }), id.slice(2));
  for (const wrong of [Array.from({ length: 101 }, () => project_id), 'mine', [project_id, '']]) {
    await refused(as.liveKey(list, { id: wrong }), 400, 'invalid_request');
  }
});
