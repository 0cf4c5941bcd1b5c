// Keeps the last good policy in a file, so that a cold start needs no control plane, and what has
// changed since in a small one beside it. Both are sealed (see cache-form.ts). Whatever is wrong with
// them or with the disk, the node goes on without.
import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Log } from '../options.ts';
import { type Belonging, type Kept, piecesOf, restore } from './cache-form.ts';
import { applyNews, type News, NewsLog } from './cache-news.ts';
import { prepare, readSealed, writeSealed } from './sealed-file.ts';
import type { Policy } from './standing.ts';

export type DiskCache = {
  /** What was kept, if it is whole, ours and of this very feed. Never rejects. */
  load(): Promise<Kept | null>;
  /**
   * Writes a policy down before long, with the control plane's time of it, and with what led to it;
   * null when it came as a whole. At once when not only new keys are told of, because a revocation
   * must outlive the program.
   */
  keep(policy: Policy, savedAt: number, news?: News | null): void;
  /** Writes down what is not yet written. Never rejects. */
  close(): Promise<void>;
};

export type CacheParts = {
  secretKey: string;
  projectId: string;
  env: Env | null;
  tenantIds: readonly string[];
  clock: Clock;
  log: Log;
};

/** Writing the whole is put off, but for the first time the longer, the more there is to write. */
const SOON_MS = 1_000;
const LATER_MS = 30_000;
const PAUSE_MS_PER_KEY = 0.2;
/** News are written at once, and then again after so long. */
const NEWS_PAUSE_MS = 1_000;

type Latest = { policy: Policy; savedAt: number };

export function openDiskCache(parts: CacheParts, dir: string): DiskCache {
  const { secretKey, projectId, env, tenantIds, clock, log } = parts;
  const belonging: Belonging = { projectId, env, tenantIds };
  const path = join(dir, `${nameOf(belonging)}.policy`);
  const newsPath = join(dir, `${nameOf(belonging)}.news`);
  const news = new NewsLog();
  /** The version of the whole that is known to be on the disk. */
  let base: number | null = null;
  let latest: Latest | null = null;
  let pending: Latest | null = null;
  let newsWrittenAt = Number.NEGATIVE_INFINITY;

  const failed = (what: string) => (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log('warn', `keyrail: the policy cache ${what}: ${why}`);
    return null;
  };
  const notWritten = failed('could not be written');

  const writeWhole = async () => {
    const due = pending;
    pending = null;
    if (!due) return;
    const { policy, savedAt } = due;
    const { version } = policy;
    const pieces = piecesOf(policy, belonging, savedAt);
    base = (await writeSealed(path, { secretKey, version, pieces }).catch(notWritten)) ?? base;
    if (base !== null) news.forget(base);
  };
  const writeNews = async () => {
    if (latest === null || base === null || !news.follows(base)) return;
    newsWrittenAt = clock.monotonicMs();
    const { policy, savedAt } = latest;
    const { version } = policy;
    const pieces = news.pieces(policy, belonging, savedAt);
    await writeSealed(newsPath, { secretKey, version, pieces }).catch(notWritten);
  };
  const whole = earliest(clock, writeWhole);
  const fresh = earliest(clock, writeNews);
  let wasScheduled = false;

  return {
    load: async () => {
      const names = [path, newsPath].map((one) => basename(one));
      await prepare(dir, names, clock.now()).catch(failed('has no directory'));
      try {
        const plain = await readSealed(path, secretKey);
        const kept = plain && (await restore(plain, belonging, breathe));
        if (!kept) {
          await unlink(newsPath).catch(() => {}); // they would be of another beginning
          return null;
        }
        base = kept.policy.version;
        const newsPlain = await readSealed(newsPath, secretKey);
        const applied = newsPlain && applyNews(kept, newsPlain, belonging);
        if (!applied) return kept;
        news.add(applied.since, applied.kept.policy.version, applied.changes);
        return applied.kept;
      } catch (error) {
        // What nobody can open shall not stand in the way of what will be written.
        for (const one of [path, newsPath]) await unlink(one).catch(() => {});
        base = null;
        return failed('was refused')(error);
      }
    },
    keep: (policy, savedAt, told = null) => {
      latest = { policy, savedAt };
      pending = latest;
      if (told) news.add(told.since, policy.version, told.changes);
      else news.clear();
      const isOnNews = told !== null && base !== null && news.follows(base);
      if (isOnNews && !told.isOnlyMore) {
        fresh.within(Math.max(0, newsWrittenAt + NEWS_PAUSE_MS - clock.monotonicMs()));
      }
      const canWait = isOnNews || told?.isOnlyMore === true;
      const pauseMs = (canWait ? LATER_MS : SOON_MS) + policy.table.size * PAUSE_MS_PER_KEY;
      whole.within(wasScheduled ? pauseMs : SOON_MS);
      wasScheduled = true;
    },
    close: async () => {
      await fresh.close();
      await whole.close();
      await writeWhole();
    },
  };
}

type Earliest = {
  /** Before so long; sooner if that was asked for already. */
  within(ms: number): void;
  /** Nothing more is begun; resolves when what was begun is done. */
  close(): Promise<void>;
};

/** One act after the other, each as soon as anybody asked for. */
function earliest(clock: Clock, act: () => Promise<void>): Earliest {
  let acting = Promise.resolve();
  let dueAt = Number.POSITIVE_INFINITY;
  let cancel = () => {};
  return {
    within: (ms) => {
      const at = clock.monotonicMs() + ms;
      if (at >= dueAt) return;
      cancel();
      dueAt = at;
      cancel = clock.after(ms, () => {
        dueAt = Number.POSITIVE_INFINITY;
        acting = acting.then(act);
      });
    },
    close: () => {
      cancel();
      return acting;
    },
  };
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

const nameOf = (belonging: Belonging): string => {
  const digest = createHash('sha256').update(JSON.stringify(belonging)).digest('hex');
  return `keyrail-${digest.slice(0, 16)}`;
};
