// A chain is tampered with at random in 1,200 ways, 200 of each kind. The server's verifier and the
// script for exported files must each report the right entry. Only anchors reveal a truncated or
// rewritten chain.
import { deepEqual, equal } from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { wireTime } from '../../base/wire-time.ts';
import { rowHash } from '../../doors/audit-chain.ts';
import { signHeads, wireAnchor } from '../../signing/anchors.ts';
import type { AuditRow } from './rows.ts';
import { verifyChain } from './verify-chain.ts';

const SCRIPT = new URL('../../../../../docs/verify-audit-chain.mjs', import.meta.url).href;
const { readAnchors, verifyExport } = await import(SCRIPT);

const ROWS = 30;
const TRIES_EACH = 200;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const workspaceId = randomUUID();

/** Returns two pseudorandom numbers that depend only on the attack and its round. */
const chancesOf = (what: string, turn: number): [number, number] => {
  const digest = createHash('sha256').update(`${what} ${turn}`).digest();
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
};

const hashed = (row: AuditRow): AuditRow => ({ ...row, hash: rowHash(row) });

const rowAfter = (before: { seq: number; hash: string }, slug: string): AuditRow =>
  hashed({
    id: randomUUID(),
    workspaceId,
    seq: before.seq + 1,
    occurredAt: new Date(START_MS + before.seq * 1000),
    actorType: 'system',
    actorId: null,
    action: 'project.created',
    targetType: 'project',
    targetId: randomUUID(),
    env: null,
    payload: `{"slug":"${slug}"}`,
    prevHash: before.hash,
    hash: '',
    isLive: false,
  });

/** Appends rows with valid links and hashes until there are `count` rows. */
function continued(rows: readonly AuditRow[], count: number, slug: string): AuditRow[] {
  const made = [...rows];
  while (made.length < count) {
    made.push(rowAfter(made.at(-1) ?? { seq: 0, hash: GENESIS_HASH }, `${slug}-${made.length}`));
  }
  return made;
}

const whole = continued([], ROWS, 'true');

const ANCHORED = [4, 11, 12, 23, ROWS];
const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const kid = randomUUID();
const anchors = signHeads(
  whole.filter(({ seq }) => ANCHORED.includes(seq)),
  { kid, key },
  new Date(START_MS + 3_600_000),
);
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, purpose: 'audit_anchor' }] };
const anchorLines = anchors.map((anchor) => JSON.stringify(wireAnchor(anchor)));
const anchored = anchors.map(({ seq, hash, count, anchoredAt }) => ({
  seq,
  hash,
  count,
  anchoredAt: wireTime(anchoredAt),
}));
const exported = await readAnchors(anchorLines, jwks);

type Found = { server: number | null; script: number | null };

/**
 * Runs each verifier on these rows, and returns what it reports. The head matches the newest row.
 */
async function verdicts(rows: readonly AuditRow[], withAnchors: boolean): Promise<Found> {
  const { seq = 0, hash = GENESIS_HASH } = rows.at(-1) ?? {};
  const source = {
    head: async () => ({ seq, hash }),
    page: async ({ afterSeq, limit }: { afterSeq: number; limit: number }) =>
      rows.filter((row) => row.seq > afterSeq).slice(0, limit),
  };
  const server = await verifyChain(source, { pageRows: 7, anchored: withAnchors ? anchored : [] });
  const header = { object: 'audit_export', workspace_id: workspaceId, since: 0 };
  const lines = [header, ...rows.map(lineOf)].map((line) => JSON.stringify(line));
  const script: Promise<unknown> = verifyExport(lines, withAnchors ? exported.anchors : []);
  return {
    server: server.brokenSeq,
    script: await script.then(
      () => null,
      (error: { seq: number }) => error.seq,
    ),
  };
}

const lineOf = (row: AuditRow) => ({
  seq: row.seq,
  id: row.id,
  occurred_at: wireTime(row.occurredAt),
  actor_type: row.actorType,
  actor_id: row.actorId,
  action: row.action,
  target_type: row.targetType,
  target_id: row.targetId,
  payload: JSON.parse(row.payload),
  prev_hash: row.prevHash,
  hash: row.hash,
});

const edits: ((row: AuditRow) => AuditRow)[] = [
  (row) => ({ ...row, id: randomUUID() }),
  (row) => ({ ...row, occurredAt: new Date(row.occurredAt.getTime() + 1) }),
  (row) => ({ ...row, actorType: 'user' }),
  (row) => ({ ...row, actorId: 'someone' }),
  (row) => ({ ...row, action: 'project.deleted' }),
  (row) => ({ ...row, targetType: 'tenant' }),
  (row) => ({ ...row, targetId: randomUUID() }),
  (row) => ({ ...row, payload: '{"slug":"edited"}' }),
  (row) => ({ ...row, prevHash: 'a'.repeat(64) }),
  (row) => ({ ...row, hash: 'b'.repeat(64) }),
];

type Attack = {
  /** The highest row number that this attack can target. */
  most: number;
  rows(seq: number, chance: number): AuditRow[];
  found(seq: number): number;
  /**
   * Which row is reported if there are anchors. Omitted if the same row is reported without
   * anchors.
   */
  foundByAnchors?(seq: number): number;
  needsAnchors?: true;
};

const attacks: Record<string, Attack> = {
  edited: {
    most: ROWS,
    rows: (seq, chance) =>
      whole.map((row) => (row.seq === seq ? (edits[chance % edits.length]?.(row) ?? row) : row)),
    found: (seq) => seq,
  },
  deleted: {
    most: ROWS - 1,
    rows: (seq) => whole.filter((row) => row.seq !== seq),
    found: (seq) => seq,
  },
  inserted: {
    most: ROWS,
    rows: (seq) => [
      ...continued(whole.slice(0, seq - 1), seq, 'forged'),
      ...whole.slice(seq - 1).map((row) => ({ ...row, seq: row.seq + 1 })),
    ],
    found: (seq) => seq + 1,
    // The forged row has a valid link and hash; an anchor shows that the original was different.
    foundByAnchors: (seq) => (ANCHORED.includes(seq) ? seq : seq + 1),
  },
  reordered: {
    most: ROWS - 1,
    rows: (seq) =>
      whole.map((row) => {
        const other = row.seq === seq ? seq + 1 : row.seq === seq + 1 ? seq : row.seq;
        return { ...(whole[other - 1] ?? row), seq: row.seq };
      }),
    found: (seq) => seq,
  },
  'cut off at the end': {
    most: ROWS,
    rows: (seq) => whole.slice(0, seq - 1),
    found: (seq) => seq,
    needsAnchors: true,
  },
  'rewritten and hashed again': {
    most: ROWS,
    rows: (seq) => continued(whole.slice(0, seq - 1), ROWS, 'rewritten'),
    found: (seq) => ANCHORED.find((each) => each >= seq) ?? Number.NaN,
    needsAnchors: true,
  },
};

test('an untouched chain is reported as intact, with and without anchors', async () => {
  deepEqual(exported.unreadable, 0);
  for (const withAnchors of [false, true]) {
    deepEqual(await verdicts(whole, withAnchors), { server: null, script: null });
  }
});

for (const [what, attack] of Object.entries(attacks)) {
  const { most, rows, found, foundByAnchors = found, needsAnchors } = attack;
  test(`in ${TRIES_EACH} chains with entries ${what}, the right entry is reported`, async () => {
    for (let tried = 0; tried < TRIES_EACH; tried += 1) {
      const [place, way] = chancesOf(what, tried);
      // The first and the last row, then random rows.
      const seq = [1, most][tried] ?? 1 + (place % most);
      const attacked = rows(seq, way);
      const right = found(seq);
      if (needsAnchors) {
        const blind = await verdicts(attacked, false);
        deepEqual(blind, { server: null, script: null }, `${what} at ${seq}, without anchors`);
      } else {
        deepEqual(await verdicts(attacked, false), { server: right, script: right }, `at ${seq}`);
      }
      const exact = foundByAnchors(seq);
      deepEqual(await verdicts(attacked, true), { server: exact, script: exact }, `at ${seq}`);
    }
  });
}

test('the script rejects an anchor that was not signed by a key in the JWKS', async () => {
  const [first = ''] = anchorLines;
  const refusalOf = (lines: string[], given: unknown): Promise<string> =>
    readAnchors(lines, given).then(
      () => 'none',
      (error: Error) => error.message,
    );
  const forged = JSON.stringify({ ...JSON.parse(first), seq: 5, count: 5 });
  equal(await refusalOf([first, forged], jwks), 'anchors, line 2: no key of the JWKS signed this');
  const ofTokens = { keys: jwks.keys.map((each) => ({ ...each, purpose: 'embed_token' })) };
  equal(await refusalOf([first], ofTokens), 'anchors, line 1: no key of the JWKS signed this');
  equal((await readAnchors([first, '{"object":"audit_anc', ''], jwks)).unreadable, 1);
});
