// Audit chain contract: the database and the verifier compute the same hashes, and the sequence is
// unbroken, regardless of how many writers run concurrently or what their clocks show.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import type { Entry } from '@keyrail/server/doors/actions.ts';
import { type ChainedRow, rowHash } from '@keyrail/server/doors/audit-chain.ts';
import { change, closing, foundWorkspace, insertSecretKey } from './rows.ts';
import { opening, openStore, type Store } from './store.ts';

const WRITERS = 50;
const CHANGES_EACH = 4;
const HOUR_MS = 3_600_000;

type StoredRow = ChainedRow & { hash: string };

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

async function rowsOf(workspaceId: string): Promise<StoredRow[]> {
  const text = `select workspace_id, seq, id, occurred_at, actor_type, actor_id, action, target_type,
      target_id, payload, prev_hash, hash
    from audit_logs order by seq`;
  const { rows } = await store.db.once(opening('kr_read', { workspaceId }), { text, values: [] });
  return rows.map((row) => ({
    workspaceId: String(row.workspaceId),
    seq: Number(row.seq),
    id: String(row.id),
    occurredAt: row.occurredAt instanceof Date ? row.occurredAt : new Date(Number.NaN),
    actorType: String(row.actorType),
    actorId: row.actorId === null ? null : String(row.actorId),
    action: String(row.action),
    targetType: String(row.targetType),
    targetId: String(row.targetId),
    payload: String(row.payload),
    prevHash: String(row.prevHash),
    hash: String(row.hash),
  }));
}

/**
 * Asserts everything that a verifier checks: sequence, links, hashes, times and the latest hash.
 */
async function assertWhole(workspaceId: string): Promise<StoredRow[]> {
  const rows = await rowsOf(workspaceId);
  let previous = { hash: GENESIS_HASH, at: Number.NEGATIVE_INFINITY };
  for (const [at, row] of rows.entries()) {
    equal(row.seq, at + 1);
    equal(row.prevHash, previous.hash, `link of row ${row.seq}`);
    equal(rowHash(row), row.hash, `hash of row ${row.seq}: ${row.payload}`);
    ok(row.occurredAt.getTime() >= previous.at, `row ${row.seq} is older than the row before it`);
    previous = { hash: row.hash, at: row.occurredAt.getTime() };
  }
  const text = 'select seq, hash from audit_heads';
  const head = await store.db.once(opening('kr_read', { workspaceId }), { text, values: [] });
  deepEqual(head.rows, [{ seq: rows.length, hash: previous.hash }]);
  return rows;
}

const controls = Array.from({ length: 31 }, (_, at) => String.fromCharCode(at + 1)).join('');

const hostile = [
  controls,
  '"quoted" and \\back\\slashed\\ and /slashed/',
  "it's {\"json\":[1,2]} inside, 'single' too",
  'line\u2028and paragraph\u2029separators, delete \u007f, next line \u0085',
  'emoji \u{1F511}, combining e\u0301\u0302\u0303, right to left \u202e!',
  'byte order mark \ufeff, noncharacter \uffff and \u{10ffff}',
  '{a,b},"c",NULL,\\N,$1,%s,\\x00,\\u0000',
  ' leading and trailing ',
  '',
];

test('the database and the verifier compute the same hash for any text', async () => {
  const workspaceId = await foundWorkspace(store);
  for (const text of hostile) {
    const entry: Entry = {
      action: 'tenant.created',
      target: randomUUID(),
      payload: { external_id: text },
    };
    await change(store, { workspaceId }, { statements: [], entry });
  }
  const rows = await assertWhole(workspaceId);
  const kept = rows.slice(1).map(({ payload }) => JSON.parse(payload).external_id);
  deepEqual(kept, hostile);
});

test('the verifier recomputes the same hash for any actor ID', async () => {
  const workspaceId = await foundWorkspace(store);
  for (const id of [...hostile, null]) {
    const last = [closing(workspaceId, { actor: { type: 'embed', id } })];
    await store.db.transaction(opening('kr_write', { workspaceId }), async () => ({
      kind: 'commit',
      last,
      result: () => null,
    }));
  }
  const rows = await assertWhole(workspaceId);
  deepEqual(
    rows.slice(1).map(({ actorId }) => actorId),
    [...hostile, null],
  );
});

test("a payload's members are hashed in canonical order, regardless of their names", async () => {
  const workspaceId = await foundWorkspace(store);
  const names = ['zebra', 'Ärger', '\u{1F511}', '\ufb33', '10', '9', 'a"b', 'a\u2028b', ''];
  const changes = Object.fromEntries(names.map((name) => [name, { from: name, to: name }]));
  const payload = { changed: names, changes };
  const entry: Entry = { action: 'workspace.updated', target: workspaceId, payload };
  await change(store, { workspaceId }, { statements: [], entry });
  const [, row] = await assertWhole(workspaceId);
  deepEqual(JSON.parse(row?.payload ?? ''), payload);
});

test('fifty concurrent writers in one workspace produce a single chain without gaps', async () => {
  const workspaceId = await foundWorkspace(store);
  const writing = Array.from({ length: WRITERS }, async () => {
    for (let turn = 0; turn < CHANGES_EACH; turn += 1) {
      await change(store, { workspaceId }, { statements: [insertSecretKey('live')] });
    }
  });
  await Promise.all(writing);
  const rows = await assertWhole(workspaceId);
  equal(rows.length, 1 + WRITERS * CHANGES_EACH);
});

test('entries stay in chronological order when the clock is set back', async (t) => {
  t.after(() => store.clock.moveTo(0));
  store.clock.moveTo(0);
  const workspaceId = await foundWorkspace(store);
  const steps = [0, HOUR_MS, -HOUR_MS, 0, 2 * HOUR_MS, -600_000, 31 * 24 * HOUR_MS, 0];
  for (const step of steps) {
    store.clock.moveTo(step);
    await change(store, { workspaceId }, { statements: [] });
  }
  const rows = await assertWhole(workspaceId);
  const ahead = rows.at(-2)?.occurredAt.getTime();
  equal(rows.at(-1)?.occurredAt.getTime(), ahead, 'the last row keeps the time of the one before');
});

test('writers whose clocks disagree still produce a single chain', async (t) => {
  t.after(() => store.clock.moveTo(0));
  const workspaceId = await foundWorkspace(store);
  const writing = Array.from({ length: WRITERS }, async (_, at) => {
    store.clock.moveTo((at % 2 === 0 ? at : -at) * 60_000);
    await change(store, { workspaceId }, { statements: [insertSecretKey('test')] });
  });
  await Promise.all(writing);
  equal((await assertWhole(workspaceId)).length, 1 + WRITERS);
});

test('a transaction uses the database’s time, to the millisecond', async (t) => {
  t.after(() => store.clock.moveTo(0));
  const nowOf = (): Promise<Date> =>
    store.db.transaction(opening('kr_read'), async ({ now }) => ({
      kind: 'rollback',
      result: now,
    }));
  store.clock.moveTo(0);
  const before = await nowOf();
  store.clock.moveTo(-HOUR_MS);
  const earlier = await nowOf();
  const distance = before.getTime() - earlier.getTime();
  ok(distance > HOUR_MS - 5000 && distance <= HOUR_MS, `moved by ${distance} ms`);
});
