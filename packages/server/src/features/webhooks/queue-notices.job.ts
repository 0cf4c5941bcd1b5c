// Queues notices about keys that are about to expire, have expired, or haven't been used for a
// while. Each notice is due at a particular time, such as "14 days before expiry", and is queued
// once that time has passed. A mark records the time up to which this has been done. A delivery's
// ID is derived from its notice, so if a notice is queued again after a crash, a restore or a clock
// change, the receiver gets the same ID.
import { EXPIRY_NOTICE_DAYS, UNUSED_NOTICE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, HOUR_MS, msAfter } from '../../base/duration.ts';
import { allEnvs, type Env } from '../../doors/reach.ts';
import type { OpenWork, OpenWorkIn } from '../../doors/work.ts';
import {
  type EndingKey,
  type LastUsed,
  listEndingKeys,
  listEndingSecretKeys,
  listLastUsedOn,
  listNeverUsed,
  type NeverUsed,
} from '../keys/ending.rows.ts';
import { endingNotice, unusedNotice } from './key-notice.ts';
import { findMark, insertNotices, listListening, type Notice, updateMark } from './notices.rows.ts';

type NoticeParts = { work: OpenWork; workIn: OpenWorkIn };

const PAGE_MAX = 1000;
/**
 * If no worker is running when a notice becomes due, the notice is queued up to this much later,
 * and skipped after that.
 */
const CATCH_UP_MS = 6 * DAY_MS;
/**
 * If a mark is further ahead than this, the clock has been set back since the mark was written, and
 * the mark is ignored.
 */
const AHEAD_MS_MAX = HOUR_MS;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export async function queueNotices(parts: NoticeParts): Promise<void> {
  await inNewTime(parts, { kind: 'ends', beforeMs: 0 }, (span) => queueEndings(parts, span));
  const unused = { kind: 'unused', beforeMs: UNUSED_NOTICE_DAYS * DAY_MS, stepMs: DAY_MS };
  await inNewTime(parts, unused, async (span) => {
    for (let day = span.from; day < span.to; day = msAfter(day, DAY_MS)) {
      await queueUnused(parts, day);
    }
  });
}

/** The period for which notices are queued: after `from`, up to and including `to`. */
type Span = { from: Date; to: Date; now: Date };

type Mark = {
  kind: string;
  /** How far in the past the period ends. */
  beforeMs: number;
  /** Rounds the end of the period down to a multiple of this, such as a whole day. */
  stepMs?: number;
};

/** Calls `queue` with the period since the last run, and then advances the mark. */
async function inNewTime(
  { work }: NoticeParts,
  { kind, beforeMs, stepMs = 1 }: Mark,
  queue: (span: Span) => Promise<void>,
): Promise<void> {
  const span = await work(async (tx): Promise<Span> => {
    const { now } = tx;
    const to = new Date(Math.floor((now.getTime() - beforeMs) / stepMs) * stepMs);
    const mark = await findMark(tx, kind);
    const isUsable = mark !== null && mark.getTime() - to.getTime() <= AHEAD_MS_MAX;
    const earliest = msAfter(to, -CATCH_UP_MS);
    const from = isUsable ? new Date(Math.max(mark.getTime(), earliest.getTime())) : to;
    if (!isUsable) await updateMark(tx, kind, to);
    return { from, to, now };
  });
  if (span.from >= span.to) return;
  await queue(span);
  await work((tx) => updateMark(tx, kind, span.to));
}

async function queueEndings(parts: NoticeParts, { from, to, now }: Span): Promise<void> {
  for (const [at, days] of [...EXPIRY_NOTICE_DAYS, 0].entries()) {
    const aheadMs = days * DAY_MS;
    // Once the next notice is due, this one is no longer useful.
    const nextMs = (EXPIRY_NOTICE_DAYS[at + 1] ?? 0) * DAY_MS;
    const isInTime = ({ expiresAt }: EndingKey) => days === 0 || expiresAt > msAfter(now, nextMs);
    const lists = days === 0 ? [listEndingKeys] : [listEndingKeys, listEndingSecretKeys];
    for (const list of lists) {
      const span = { from: msAfter(from, aheadMs), to: msAfter(to, aheadMs), limit: PAGE_MAX };
      let last: EndingKey | undefined;
      do {
        const after = last ?? null;
        const page: EndingKey[] = await parts.work((tx) => list(tx, { ...span, after }));
        last = page.length === PAGE_MAX ? page.at(-1) : undefined;
        const due = page.filter((key) => key.isHeard && isInTime(key));
        await queueAll(parts, due, (key) => endingNotice(key, days));
      } while (last);
    }
  }
}

/**
 * Queues notices about keys that were last used on a given day, or created on that day and not used
 * since.
 */
async function queueUnused(parts: NoticeParts, day: Date): Promise<void> {
  const date = day.toISOString().slice(0, 10);
  let after: string | null = null;
  do {
    const place: string | null = after;
    const page: LastUsed[] = await parts.work((tx) =>
      listLastUsedOn(tx, { day: date, after: place, limit: PAGE_MAX }),
    );
    after = page.length === PAGE_MAX ? (page.at(-1)?.keyId ?? null) : null;
    const heard = page.flatMap(({ unused }) => (unused?.isHeard ? [unused] : []));
    await queueAll(parts, heard, (key) => unusedNotice(key, date));
  } while (after);
  let listening: string[] = [];
  do {
    const last = listening.at(-1) ?? FIRST_ID;
    listening = await parts.work((tx) => listListening(tx, { after: last, limit: PAGE_MAX }));
    for (const workspaceId of listening) {
      for (const env of allEnvs) await queueNeverUsed(parts, { workspaceId, env, day });
    }
  } while (listening.length === PAGE_MAX);
}

async function queueNeverUsed(
  parts: NoticeParts,
  { workspaceId, env, day }: { workspaceId: string; env: Env; day: Date },
): Promise<void> {
  const span = { from: day, to: msAfter(day, DAY_MS), workspaceId, env, limit: PAGE_MAX };
  let after: { createdAt: Date; id: string } | null = null;
  do {
    const place: { createdAt: Date; id: string } | null = after;
    const page: NeverUsed[] = await parts.work((tx) =>
      listNeverUsed(tx, { ...span, after: place }),
    );
    after = page.length === PAGE_MAX ? (page.at(-1) ?? null) : null;
    const unused = page.filter(({ isUnused }) => isUnused);
    await queueAll(parts, unused, (key) => unusedNotice(key, day.toISOString().slice(0, 10)));
  } while (after);
}

async function queueAll<Key extends { workspaceId: string }>(
  { workIn }: NoticeParts,
  keys: readonly Key[],
  noticeOf: (key: Key) => Notice,
): Promise<void> {
  for (const [workspaceId, own] of Map.groupBy(keys, (key) => key.workspaceId)) {
    await workIn(workspaceId)((tx) => insertNotices(tx, own.map(noticeOf)));
  }
}
