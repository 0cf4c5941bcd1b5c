// A database superuser edits the log, and the verifier reports where.
import { deepEqual, equal } from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { canonicalJson, GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import { change, foundWorkspace } from '../../../../../tests/contracts/rows.ts';
import { openStore, type Store } from '../../../../../tests/contracts/store.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import type { Entry } from '../../doors/actions.ts';
import { allEnvs } from '../../doors/reach.ts';
import { openRead } from '../../doors/read.ts';
import type { AnchoredRow } from './chain-check.ts';
import { chainIn } from './rows.ts';
import { type ChainVerdict, verifyChain } from './verify-chain.ts';

const ROWS = 25;
const TRIES_EACH = 5;

let store: Store;
let workspaceId: string;
let otherId: string;
/** The anchors recorded before the log is edited. */
const anchored: AnchoredRow[] = [];
const ANCHORED = [4, 9, 10, ROWS];

const entries = (n: number): Entry => {
  const env = n % 3 === 0 ? ('live' as const) : ('test' as const);
  const target = randomUUID();
  if (n % 2 === 0) {
    return { action: 'secret_key.created', target, payload: { env, display_prefix: `p${n}` } };
  }
  return { action: 'project.created', target, payload: { slug: `slug-${n}` } };
};

before(async () => {
  store = await openStore();
  workspaceId = await foundWorkspace(store);
  otherId = await foundWorkspace(store);
  for (let n = 2; n <= ROWS; n += 1) {
    await change(store, { workspaceId }, { statements: [], entry: entries(n) });
  }
  await store.beyond(`create table kept as select * from audit_logs;
    alter table kept drop column is_live;
    create table kept_heads as select * from audit_heads`);
  for (const seq of ANCHORED) {
    const { hash } = await rowAt(seq);
    anchored.push({ seq, hash: String(hash), count: seq, anchoredAt: '2026-01-01T00:00:00.000Z' });
  }
});
after(() => store.close());

/** Runs SQL with all triggers disabled, which only a superuser can do. */
const edit = (text: string) =>
  store.beyond(`begin; set local session_replication_role = replica; ${text}; commit`);

const restore = () =>
  edit(`delete from audit_logs; insert into audit_logs select * from kept;
    delete from audit_heads; insert into audit_heads select * from kept_heads`);

const verdict = (anchors: readonly AnchoredRow[] = []): Promise<ChainVerdict> =>
  verifyChain(
    chainIn(
      openRead(
        store.db,
        { workspaceId, envs: allEnvs, actor: { type: 'system', id: null }, authority: 'owner' },
        deadlineAfter(10_000),
      ),
    ),
    { anchored: anchors },
  );

type Stored = Record<string, string | number | null>;

async function rowAt(seq: number): Promise<Stored> {
  const [row] = await store.beyond(`select id, seq::int, iso_millis(occurred_at) as occurred_at,
      actor_type, actor_id, action, target_type, target_id, payload, prev_hash, hash, workspace_id
    from audit_logs where workspace_id = '${workspaceId}' and seq = ${seq}`);
  return (row ?? {}) as Stored;
}

/** Computes the hash as documented, without the product's rowHash(). */
const hashOf = (row: Stored): string => hashOfText(row, String(row.payload));

const hashOfText = (row: Stored, payload: string): string =>
  createHash('sha256')
    .update(canonicalJson({ ...without(row), payload: '§' }).replace('"§"', payload))
    .digest('hex');

const without = ({ hash: _, ...row }: Stored): Stored => row;

const at = (seq: number) => `where workspace_id = '${workspaceId}' and seq = ${seq}`;
const set = (assignment: string) => (seq: number) =>
  `update audit_logs set ${assignment} ${at(seq)}`;
const here = (seq: number) => seq;
/**
 * If a row is edited, the next row no longer links to it, so the next row is reported. If the last
 * row is edited, the head no longer matches it.
 */
const next = (seq: number) => Math.min(seq + 1, ROWS);

type Tamper = {
  sql(seq: number): string | Promise<string>;
  found(seq: number): number;
  most?: number;
};

async function rehashed(seq: number): Promise<string> {
  const row = { ...(await rowAt(seq)), payload: '{"slug":"forged"}' };
  return `update audit_logs set payload = '${row.payload}', env = null,
    hash = '${hashOf(row)}' ${at(seq)}`;
}

/** A forged row with a valid link to the previous row and a valid hash. */
async function forged(seq: number): Promise<string> {
  const before = seq === 1 ? { hash: GENESIS_HASH } : await rowAt(seq - 1);
  const model = await rowAt(Math.min(seq, ROWS));
  const row = { ...model, id: randomUUID(), seq, prev_hash: String(before.hash) };
  return `insert into audit_logs select '${row.id}', workspace_id, ${seq}, occurred_at, actor_type,
      actor_id, action, target_type, target_id, env, payload, '${row.prev_hash}', '${hashOf(row)}'
    from kept where workspace_id = '${workspaceId}' and seq = ${Math.min(seq, ROWS)}`;
}

const headIs = (seq: number) => `update audit_heads set seq = ${seq},
    hash = coalesce((select hash from audit_logs ${at(seq)}), '${GENESIS_HASH}')
  where workspace_id = '${workspaceId}'`;

/**
 * Replaces all rows from this one on. Every new row has a valid link and hash, and the head
 * matches.
 */
async function rewritten(from: number): Promise<string> {
  const statements: string[] = [];
  let prevHash = from === 1 ? GENESIS_HASH : String((await rowAt(from - 1)).hash);
  for (let seq = from; seq <= ROWS; seq += 1) {
    const payload = `{"slug":"rewritten-${seq}"}`;
    const row = { ...(await rowAt(seq)), payload, prev_hash: prevHash };
    prevHash = hashOf(row);
    statements.push(`update audit_logs set payload = '${payload}', env = null,
      prev_hash = '${row.prev_hash}', hash = '${prevHash}' ${at(seq)}`);
  }
  return `${statements.join(';')}; ${headIs(ROWS)}`;
}

/** Edits that only anchors reveal. */
const hidden: Record<string, Tamper> = {
  'a truncated log with a matching head': {
    sql: (seq) =>
      `delete from audit_logs ${at(seq).replace('seq =', 'seq >=')}; ${headIs(seq - 1)}`,
    found: here,
  },
  'a rewritten chain with new hashes': {
    sql: rewritten,
    found: (seq) => ANCHORED.find((each) => each >= seq) ?? Number.NaN,
  },
};

const tampers: Record<string, Tamper> = {
  'an edited id': { sql: set(`id = gen_random_uuid()`), found: here },
  'a row moved to another workspace': {
    sql: (seq) => `update audit_logs set workspace_id = '${otherId}', seq = 1000 + seq ${at(seq)}`,
    found: here,
  },
  'an edited seq': { sql: set('seq = seq + 1000'), found: here },
  'an edited time': { sql: set(`occurred_at = occurred_at + interval '1 ms'`), found: here },
  'an edited actor type': { sql: set(`actor_type = 'user'`), found: here },
  'an edited actor': { sql: set(`actor_id = 'null'`), found: here },
  'an edited action': { sql: set(`action = 'workspace.created'`), found: here },
  'an edited target type': { sql: set(`target_type = 'tenant'`), found: here },
  'an edited target': { sql: set('target_id = gen_random_uuid()'), found: here },
  'an edited environment': {
    sql: set(
      `env = case when env = 'live' then null when env = 'test' then 'live'::env else 'test' end`,
    ),
    found: here,
  },
  'an edited payload': { sql: set(`payload = '{"slug":"edited"}'`), found: here },
  'a payload with different whitespace': { sql: set(`payload = payload || ' '`), found: here },
  'an edited link': { sql: set(`prev_hash = repeat('a', 64)`), found: here },
  'an edited hash': { sql: set(`hash = repeat('a', 64)`), found: here },
  'a hash in uppercase': { sql: set('hash = upper(hash)'), found: here },
  'a deleted row': { sql: (seq) => `delete from audit_logs ${at(seq)}`, found: here },
  'a truncated log': {
    sql: (seq) => `delete from audit_logs ${at(seq).replace('seq =', 'seq >=')}`,
    found: here,
  },
  'two swapped rows': {
    sql: (seq) => `update audit_logs set seq = -1 ${at(seq)};
      update audit_logs set seq = ${seq} ${at(seq + 1)};
      update audit_logs set seq = ${seq + 1} ${at(-1)}`,
    found: here,
    most: ROWS - 1,
  },
  'an inserted row': {
    sql: async (seq) => `update audit_logs set seq = -seq ${at(seq).replace('seq =', 'seq >=')};
      update audit_logs set seq = 1 - seq where workspace_id = '${workspaceId}' and seq < 0;
      ${await forged(seq)}`,
    found: next,
  },
  'an edited row with a new hash': { sql: rehashed, found: next },
  'a hashed payload that is not JSON': {
    sql: async (seq) => `update audit_logs set payload = 'forged', hash =
      '${hashOfText(await rowAt(seq), 'forged')}' ${at(seq)}`,
    found: here,
  },
  'a row appended without updating the head': {
    sql: () => forged(ROWS + 1),
    found: () => ROWS + 1,
  },
  'a head with a different hash': {
    sql: () => `update audit_heads set hash = repeat('b', 64)`,
    found: () => ROWS,
  },
  'a head moved back': {
    sql: (seq) => `update audit_heads set seq = ${seq}, hash =
      (select hash from kept ${at(seq)}) where workspace_id = '${workspaceId}'`,
    found: (seq) => seq + 1,
    most: ROWS - 1,
  },
};

test('the log is reported as intact before it is edited', async () => {
  const { checked, headSeq, brokenSeq, reason } = await verdict();
  deepEqual(
    { checked, headSeq, brokenSeq, reason },
    { checked: ROWS, headSeq: ROWS, brokenSeq: null, reason: null },
  );
});

for (const [what, { sql, found, most = ROWS }] of Object.entries(tampers)) {
  test(`${what} is detected, and its position is reported`, async () => {
    const chance = seededBytes(what);
    for (let tried = 0; tried < TRIES_EACH; tried += 1) {
      // Tries the first and the last row, then random ones.
      const seq = [1, most][tried] ?? 1 + (Buffer.from(chance(4)).readUInt32BE() % most);
      await edit(await sql(seq));
      const { brokenSeq, reason } = await verdict();
      equal(brokenSeq, found(seq), `at ${seq}: ${reason}`);
      await restore();
    }
    equal((await verdict()).brokenSeq, null, 'the log was restored');
  });
}

for (const [what, { sql, found }] of Object.entries(hidden)) {
  test(`${what} is detected only with anchors`, async () => {
    equal((await verdict(anchored)).brokenSeq, null, 'the anchors match the log');
    for (const seq of [1, 9, 10, 17, ROWS]) {
      await edit(await sql(seq));
      equal((await verdict()).brokenSeq, null, `at ${seq}`);
      equal((await verdict(anchored)).brokenSeq, found(seq), `at ${seq}`);
      await restore();
    }
  });
}

test('only a superuser can edit the log', async () => {
  for (const text of [
    `update audit_logs set action = 'x'`,
    'delete from audit_logs',
    'truncate audit_logs',
  ]) {
    for (const role of ['kr_owner', 'kr_write', 'kr_read', 'kr_gate']) {
      const failed = await store.beyond(text, { role }).then(
        () => 'done',
        (error: Error) => error.message,
      );
      equal(/never changed|permission denied/.test(failed), true, `${role}: ${text}: ${failed}`);
    }
  }
  equal((await verdict()).brokenSeq, null);
});
