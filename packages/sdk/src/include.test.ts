// The `include` option adds `meta` and the tenant's external ID to contexts, including after a
// start from the cache. A node without the option uses no memory for them.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import { entryOf, sha256Hex } from '../test/entries.ts';
import { nodeOn, Plane, startedOn, type Watched } from '../test/plane.ts';
import type { Include } from './api/options.ts';
import { digestFromHex } from './policy/table/digest.ts';
import { LINK_AT } from './policy/table/shard.ts';
import { PolicyTable } from './policy/table/table.ts';

const meta = { plan: 'gold', limits: { seats: [1, 2] } };
const full = { meta, tenant_external_id: 'cus_1' };

function contextOf({ node }: Watched, key: string) {
  const decision = node.verify(key);
  if (!decision.allowed) throw new Error(decision.reason);
  return decision.context;
}

test('`include` adds its fields to a context and changes nothing else', async (t) => {
  for (const [include, names] of [
    [[], []],
    [['meta'], ['meta']],
    [['externalId'], ['tenantExternalId']],
    [
      ['meta', 'externalId'],
      ['tenantExternalId', 'meta'],
    ],
  ] satisfies [Include[], string[]][]) {
    const plane = new Plane();
    const key = plane.issue(full);
    const watched = await startedOn(t, plane, { include });
    const asked = plane.asked.map(({ query }) => query.get('include'));
    const text = { '': null, meta: 'meta', externalId: 'external_id' }[include.join()];
    ok(asked.every((each) => each === (text === undefined ? 'external_id,meta' : text)));
    const context = contextOf(watched, key);
    const usual = contextOf(await startedOn(t, plane), key);
    deepEqual(Object.keys(context), [...Object.keys(usual), ...names]);
    const { meta: own, tenantExternalId } = { ...context };
    deepEqual(own, names.includes('meta') ? meta : undefined);
    equal(tenantExternalId, names.includes('tenantExternalId') ? 'cus_1' : undefined);
  }
});

test("a context's meta is parsed once, on first read, and is frozen", async (t) => {
  const plane = new Plane();
  const key = plane.issue(full);
  const watched = await startedOn(t, plane, { include: ['meta'] });
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...given: Parameters<typeof parse>) => {
    parsed += 1;
    return parse(...given);
  };
  t.after(() => {
    JSON.parse = parse;
  });
  const context = contextOf(watched, key);
  equal(parsed, 0);
  const read = context.meta;
  equal(context.meta, read);
  equal(parsed, 1);
  deepEqual(read, meta);
  ok(Object.isFrozen(read) && Object.isFrozen(read?.limits));
});

test('a change to meta reaches the node, but existing contexts keep the old value', async (t) => {
  const plane = new Plane();
  const key = plane.issue(full);
  const watched = await startedOn(t, plane, { include: ['meta'] });
  const before = contextOf(watched, key);
  plane.change(key, { meta: { plan: 'none' } });
  await until(() =>
    watched.clock.pass(10).then(() => contextOf(watched, key).meta?.plan === 'none'),
  );
  deepEqual(before.meta, meta);
});

test('a response without a requested field is rejected', async (t) => {
  for (const more of [{}, { meta: [] as never }, { meta: null as never }]) {
    const plane = new Plane();
    plane.issue(more);
    const { node, clock } = nodeOn(plane, { include: ['meta'] });
    t.after(() => node.close());
    await until(() => clock.pass(100).then(() => node.state().failure !== null));
    equal(node.state().version, null);
  }
});

test('an unknown name in `include` is an error', () => {
  for (const include of [['name'], 'meta', ['meta', 'external_id']]) {
    throws(() => nodeOn(new Plane(), { include: include as never }), TypeError);
  }
});

test('the cache stores the included fields, and nodes with a different `include` have their own cache', async (t) => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-include-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 10 }));
  const plane = new Plane();
  const keys = Array.from({ length: 1_500 }, (_, n) =>
    plane.issue({ meta: { n }, tenant_external_id: `cus_${n % 5}` }),
  );
  const [key = '', gone = '', changed = ''] = keys;
  const all: Include[][] = [[], ['meta'], ['meta', 'externalId']];
  for (const include of all) {
    const { node } = await startedOn(t, plane, { cacheDir, include });
    await node.close();
  }
  const files = (await readdir(cacheDir)).filter((name) => name.endsWith('.policy'));
  equal(files.length, all.length);
  // These changes are in the journal but not in the policy file.
  const last = await startedOn(t, plane, { cacheDir, include: ['meta', 'externalId'] });
  plane.revoke(gone);
  plane.change(changed, { meta: { n: 'new' } });
  await until(() => last.clock.pass(10).then(() => contextOf(last, changed).meta?.n === 'new'));
  await last.node.close();
  plane.fault = () => Promise.reject(new TypeError('fetch failed'));
  for (const include of all) {
    const watched = nodeOn(plane, { cacheDir, include });
    t.after(() => watched.node.close());
    equal(await watched.node.ready(), true);
    equal(watched.node.state().source, 'cache');
    const { meta: own, tenantExternalId } = contextOf(watched, key);
    deepEqual(own, include.includes('meta') ? { n: 0 } : undefined);
    equal(tenantExternalId, include.includes('externalId') ? 'cus_0' : undefined);
    if (!include.includes('externalId')) continue;
    equal(watched.node.verify(gone).allowed, false);
    deepEqual(contextOf(watched, changed).meta, { n: 'new' });
    for (const [n, each] of keys.entries()) {
      if (n > 2) deepEqual(contextOf(watched, each).meta, { n });
    }
  }
});

const linkOf = (table: PolicyTable, number: number): number => {
  const place = table.find(digestFromHex(sha256Hex(`key ${number}`)));
  return table.wordsOf(place)[table.startOf(place) + LINK_AT] ?? 0;
};

test('a table uses no memory for included fields if its keys have none', () => {
  const chance = chanceFrom(1);
  const table = new PolicyTable();
  for (let number = 0; number < 500; number += 1) table.set(entryOf(number, chance));
  equal(table.showExtras(), null);
});

test("a key's included fields survive changes to other keys and are removed along with the key", () => {
  const chance = chanceFrom(7);
  const table = new PolicyTable();
  const held = new Map<number, string>();
  for (let step = 0; step < 30_000; step += 1) {
    const number = chance.below(3_000);
    // Every third key is imported.
    const imported = number % 3 === 0 ? { importedPrefix: `sk_${number}` } : {};
    const entry = { ...entryOf(number, chance), ...imported };
    const isGrowing = step < 15_000;
    if (chance.percent(isGrowing ? 20 : 80)) {
      table.delete(entry.lookupHash);
      held.delete(number);
    } else {
      const text = `{"step":${step}}`;
      table.set({ ...entry, extra: { meta: text } });
      held.set(number, text);
    }
    if (step % 5_000 === 4_999) for (const _ of table.shrink());
  }
  for (const [number, text] of held) equal(table.extraOf(linkOf(table, number))?.meta, text);
  equal(table.showExtras()?.length, held.size);
});
