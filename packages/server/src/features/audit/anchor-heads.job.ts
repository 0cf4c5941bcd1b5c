// Signs the head of every chain that has grown since its last anchor, and appends the anchors to
// each destination. Safe to run twice: anchors are stored first, and a destination is sent only
// anchors it doesn't have yet.
//
// After an outage, a destination gets each chain's newest anchor. It doesn't need the anchors it
// missed, because a head's hash covers all entries before it.
import { once } from 'node:events';
import { DAY_MS, SECOND_MS } from '../../base/duration.ts';
import { reasonOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createOutageLog, type Outage } from '../../base/outage.ts';
import type { OpenWork, Work } from '../../doors/work.ts';
import { type AnchorKey, signHeads, wireAnchor } from '../../signing/anchors.ts';
import type { AnchorPlace } from './anchor-places.ts';
import {
  type ComparedHead,
  findPlace,
  insertAnchors,
  listAnchors,
  listHeads,
  removeOldPlaces,
  updatePlace,
} from './anchors.rows.ts';

export type AnchorParts = {
  work: OpenWork;
  /** Returns the current anchor signing key, or creates one if there is none. */
  anchorKey(): Promise<AnchorKey>;
  anchorPlaces: readonly AnchorPlace[];
  log: Log;
};

const HEADS_PER_STATEMENT = 500;
const LINES_PER_APPEND = 200;
/** The time limit for one destination. If it takes longer, it gets the rest in the next run. */
const DELIVERY_MS_MAX = 30 * SECOND_MS;
const PLACES_KEPT_MS = 30 * DAY_MS;
const BROKEN_SHOWN_MAX = 10;
const ERROR_CHARS_MAX = 300;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Create only one job per process, because the job remembers which faults it has logged. */
export function createAnchorJob(parts: AnchorParts): () => Promise<void> {
  const { anchorPlaces, log, work } = parts;
  const chains = createOutageLog(log, {
    begins:
      'audit chains no longer match their last anchor: entries were removed or rewritten; ' +
      'not anchoring them; run keyrail-server audit verify',
    ends: 'all audit chains match their anchors again',
  });
  const deliveries = anchorPlaces.map((place) => ({
    place,
    outage: createOutageLog(log, {
      begins: 'failed to write audit anchors to a destination (KEYRAIL_AUDIT_ANCHORS)',
      ends: 'resumed writing audit anchors',
      fields: { place: place.label },
    }),
  }));
  return async () => {
    const broken = await signMovedHeads(parts);
    if (broken.length > 0) chains.fault(new Error(brokenText(broken)));
    else chains.over();
    await Promise.all(deliveries.map(({ place, outage }) => deliver({ work, place, outage })));
    await work((tx) => removeOldPlaces(tx, PLACES_KEPT_MS));
  };
}

function brokenText(workspaceIds: readonly string[]): string {
  const shown = workspaceIds.slice(0, BROKEN_SHOWN_MAX).join(', ');
  const more = workspaceIds.length - BROKEN_SHOWN_MAX;
  return `workspaces ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Finds the workspaces whose chain no longer matches its last anchor. Their chains get no new
 * anchors.
 */
async function signMovedHeads({ work, anchorKey }: AnchorParts): Promise<string[]> {
  const broken: string[] = [];
  let after = BEFORE_ALL;
  for (;;) {
    const page = { after, limit: HEADS_PER_STATEMENT };
    const heads = await work((tx) => listHeads(tx, page));
    const states = Map.groupBy(heads, stateOf);
    broken.push(...(states.get('broken') ?? []).map(({ workspaceId }) => workspaceId));
    const moved = states.get('moved') ?? [];
    if (moved.length > 0) {
      const key = await anchorKey();
      await work((tx) => insertAnchors(tx, signHeads(moved, key, tx.now)));
    }
    if (heads.length < HEADS_PER_STATEMENT) return broken;
    after = heads.at(-1)?.workspaceId ?? after;
  }
}

function stateOf(head: ComparedHead): 'moved' | 'still' | 'broken' {
  const { seq, hash, anchoredSeq, anchoredHash, presentHash } = head;
  if (anchoredSeq === null) return 'moved';
  if (seq > anchoredSeq) return presentHash === anchoredHash ? 'moved' : 'broken';
  return seq === anchoredSeq && hash === anchoredHash ? 'still' : 'broken';
}

type Delivery = { work: OpenWork; place: AnchorPlace; outage: Outage };

/**
 * Sends anchors to one destination. A failure is logged, and recorded for `keyrail-server doctor`,
 * but doesn't affect other destinations.
 */
async function deliver({ work, place, outage }: Delivery): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), DELIVERY_MS_MAX);
  try {
    await Promise.race([appendAll(work, place, late.signal), failsWhenAborted(late.signal)]);
    outage.over();
  } catch (error) {
    outage.fault(error);
    const lastError = reasonOf(error).slice(0, ERROR_CHARS_MAX);
    await work((tx) => noteFault(tx, place, lastError)).catch(() => {});
  } finally {
    clearTimeout(timer);
  }
}

async function failsWhenAborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw new Error(`the destination took longer than ${DELIVERY_MS_MAX / SECOND_MS} seconds`);
}

async function appendAll(work: OpenWork, place: AnchorPlace, late: AbortSignal): Promise<void> {
  const progress = await beginAt(work, place);
  while (!late.aborted) {
    const { number } = progress;
    const anchors = await work((tx) => listAnchors(tx, { after: number, limit: LINES_PER_APPEND }));
    const last = anchors.at(-1);
    if (!last) return;
    await place.append(anchors.map((each) => `${JSON.stringify(wireAnchor(each))}\n`).join(''));
    progress.number = last.number;
    await work((tx) =>
      updatePlace(tx, {
        ...progress,
        place: place.id,
        label: place.label,
        triedAt: tx.now,
        deliveredAt: tx.now,
        lastError: null,
      }),
    );
  }
}

type Progress = { number: number; beganAt: Date };

/**
 * Returns the position after which a destination needs anchors: the last anchor it received, or 0
 * if the destination is new or empty.
 */
async function beginAt(work: OpenWork, place: AnchorPlace): Promise<Progress> {
  const { known, now } = await work(async (tx) => ({
    known: await findPlace(tx, place.id),
    now: tx.now,
  }));
  const ageMs = known ? now.getTime() - known.beganAt.getTime() : 0;
  const startsOver = await place.startsOver(ageMs);
  if (known === null || startsOver) return { number: 0, beganAt: now };
  return { number: known.number, beganAt: known.beganAt };
}

async function noteFault(tx: Work, place: AnchorPlace, lastError: string): Promise<void> {
  const known = await findPlace(tx, place.id);
  const { number = 0, beganAt = tx.now, deliveredAt = null } = known ?? {};
  const { id, label } = place;
  await updatePlace(tx, {
    place: id,
    label,
    number,
    beganAt,
    triedAt: tx.now,
    deliveredAt,
    lastError,
  });
}
