// All SQL statements for anchors and their destinations.

import { msAfter } from '../../base/duration.ts';
import { notFound } from '../../base/errors.ts';
import { changesOf, sql, valuesOf } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Work } from '../../doors/work.ts';
import type { AuditAnchor, AuditHead } from '../../signing/anchors.ts';

/** Loads the workspace's newest anchor. */
export async function loadAnchor(tx: Read): Promise<AuditAnchor> {
  const anchor = await maybe(tx, sql<AuditAnchor>`select * from audit_anchors`);
  if (anchor === null) throw notFound('audit anchor');
  return anchor;
}

/** A chain's head and its newest anchor; the anchor's fields are null if there is none. */
export type ComparedHead = AuditHead & {
  anchoredSeq: number | null;
  anchoredHash: string | null;
  /** The current hash of the anchored row. Null if the chain hasn't grown since that row. */
  presentHash: string | null;
};

type Page = { after: string; limit: number };

/** Lists the heads of all chains, sorted by workspace ID. */
export const listHeads = (tx: Work, { after, limit }: Page): Promise<ComparedHead[]> =>
  many(
    tx,
    sql<ComparedHead>`
      select head.*, anchor.seq as anchored_seq, anchor.hash as anchored_hash,
        was.hash as present_hash
      from (select workspace_id, seq, hash, occurred_at from audit_heads
            where workspace_id > ${after} order by workspace_id limit ${limit}) head
        left join lateral (select seq, hash from audit_anchors
          where workspace_id = head.workspace_id limit 1) anchor on true
        left join lateral (select hash from audit_logs
          where workspace_id = head.workspace_id and seq = anchor.seq and anchor.seq < head.seq
          limit 1) was on true
      order by head.workspace_id`,
  );

/** Lists the IDs of all workspaces, in order. */
export const listChains = async (tx: Work, { after, limit }: Page): Promise<string[]> => {
  const rows = await many(
    tx,
    sql<{ id: string }>`select id from workspaces where id > ${after} order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
};

/** An arbitrary ID for an advisory lock. It must be the same in every version. */
const NUMBERS_LOCK = 7_265_002;

/**
 * Stores new anchors. They are numbered in commit order, so a reader that continues after a given
 * number doesn't miss any.
 */
export async function insertAnchors(tx: Work, anchors: readonly AuditAnchor[]): Promise<void> {
  await many(tx, sql`select pg_advisory_xact_lock(${NUMBERS_LOCK})`);
  await many(
    tx,
    sql`insert into audit_anchors as known (workspace_id, number, seq, hash, occurred_at, count,
        anchored_at, kid, signature)
      select made.workspace_id,
        made.place + coalesce((select number from audit_anchors order by number desc limit 1), 0),
        made.seq, made.hash, made.occurred_at, made.seq, made.anchored_at, made.kid, made.signature
      from unnest(${anchors.map((each) => each.workspaceId)}::uuid[],
        ${anchors.map((each) => each.seq)}::bigint[],
        ${anchors.map((each) => each.hash)}::text[],
        ${anchors.map((each) => each.occurredAt)}::timestamptz[],
        ${anchors.map((each) => each.anchoredAt)}::timestamptz[],
        ${anchors.map((each) => each.kid)}::uuid[],
        ${anchors.map((each) => each.signature)}::text[])
        with ordinality as made (workspace_id, seq, hash, occurred_at, anchored_at, kid, signature,
          place)
      on conflict (workspace_id) do update set number = excluded.number, seq = excluded.seq,
        hash = excluded.hash, occurred_at = excluded.occurred_at, count = excluded.count,
        anchored_at = excluded.anchored_at, kid = excluded.kid, signature = excluded.signature
      where excluded.seq > known.seq`,
  );
}

type NumberedAnchor = AuditAnchor & { number: number };

/** Lists each chain's newest anchor, if its number is greater than `after`. */
export const listAnchors = (
  tx: Work,
  { after, limit }: { after: number; limit: number },
): Promise<NumberedAnchor[]> =>
  many(
    tx,
    sql<NumberedAnchor>`select * from audit_anchors
      where number > ${after} order by number limit ${limit}`,
  );

type PlaceRow = {
  place: string;
  label: string;
  number: number;
  beganAt: Date;
  triedAt: Date;
  deliveredAt: Date | null;
  lastError: string | null;
};

export const findPlace = (tx: Work, place: string): Promise<PlaceRow | null> =>
  maybe(tx, sql<PlaceRow>`select * from audit_anchor_places where place = ${place}`);

const PLACES_MAX = 100;

export const listPlaces = (tx: Work): Promise<PlaceRow[]> =>
  many(tx, sql<PlaceRow>`select * from audit_anchor_places order by place limit ${PLACES_MAX}`);

export async function updatePlace(tx: Work, row: PlaceRow): Promise<void> {
  const { place: _, ...changes } = row;
  await many(
    tx,
    sql`insert into audit_anchor_places ${valuesOf(row)}
      on conflict (place) do update set ${changesOf(changes)}`,
  );
}

/**
 * Removes destinations that haven't received anything for a long time, such as files in removed
 * containers. A destination that is used again starts with the newest anchor of each chain.
 */
export async function removeOldPlaces(tx: Work, keptMs: number): Promise<void> {
  const before = msAfter(tx.now, -keptMs);
  await many(tx, sql`delete from audit_anchor_places where tried_at < ${before}`);
}
