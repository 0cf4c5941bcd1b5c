// Keeps the last good policy in a file, so that a cold start needs no control plane, and what has
// changed since in a small one beside it. Both are sealed (see cache-form.ts). Whatever is wrong
// with them or with the disk, the node goes on without.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Log } from '../options.ts';
import {
  makeDirectory,
  type Names,
  NEWS_END,
  POLICY_END,
  removeAbandoned,
  sweep,
} from './cache-directory.ts';
import { openDisk, removeInOrder } from './cache-disk.ts';
import { type Belonging, type Kept, restore } from './cache-form.ts';
import { applyNews, type News } from './cache-news.ts';
import { type Found, Writing } from './cache-writing.ts';
import { readSealed } from './sealed-file.ts';
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
  /**
   * Resolves true when a start from this cache would admit no key that was taken away until now:
   * because it is written, or because no copy is left. False when neither could be done: then the
   * policy in force must not be acknowledged. Never rejects.
   */
  secure(): Promise<boolean>;
  /** Notes that the control plane has just confirmed the policy in force. */
  confirm(): void;
  /** Why the cache cannot be written; null when it can. */
  trouble(): string | null;
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

export function openDiskCache(parts: CacheParts, dir: string): DiskCache {
  const { secretKey, projectId, env, tenantIds, clock, log } = parts;
  const belonging: Belonging = { projectId, env, tenantIds };
  const names = namesOf(belonging, secretKey);
  const path = join(dir, names.own + POLICY_END);
  const newsPath = join(dir, names.own + NEWS_END);
  const failed = (what: string) => (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log('warn', `keyrail: the policy cache ${what}: ${why}`);
    return null;
  };
  const failures = failed('could not be written');
  const disk = openDisk({ path, newsPath, secretKey, belonging, failed: failures });
  const writing = new Writing(clock, disk);

  return {
    load: async () => {
      try {
        await makeDirectory(dir);
        await sweep(dir, names, clock.now());
      } catch (error) {
        return failed('is not used')(error);
      }
      try {
        const found = await readBoth({ path, newsPath, secretKey, belonging });
        if (!found) {
          await removeAbandoned(newsPath, clock.now());
          return null;
        }
        writing.begin(found);
        return found.kept;
      } catch (error) {
        // What nobody can open shall not stand in the way of what will be written. A disk that
        // refuses, or too many files that are open, says nothing of what is in them.
        const isOfDisk = Object(error).syscall !== undefined;
        if (!isOfDisk) await removeInOrder([path, newsPath]).catch(() => {});
        return failed('was refused')(error);
      }
    },
    keep: (policy, savedAt, news = null) =>
      writing.keep({ policy, savedAt, confirmedAt: clock.now() }, news),
    secure: () => writing.secure(),
    confirm: () => writing.confirm(clock.now()),
    trouble: () => writing.trouble,
    close: () => writing.close(),
  };
}

type Reading = { path: string; newsPath: string; secretKey: string; belonging: Belonging };

/**
 * Null when there is nothing. Throws when what is there cannot be believed. The news come first:
 * should another process replace the whole meanwhile, it only ever gets newer under them.
 */
async function readBoth({ path, newsPath, secretKey, belonging }: Reading): Promise<Found | null> {
  const newsPlain = await readSealed(newsPath, secretKey);
  const plain = await readSealed(path, secretKey);
  const kept = plain && (await restore(plain, belonging, breathe));
  if (!kept) return null;
  const base = kept.policy.version;
  const applied = newsPlain && (await applyNews(kept, newsPlain, { belonging, breathe }));
  if (applied === 'a gap') throw new Error('something is missing between it and its news');
  if (!applied || applied === 'nothing new') return { kept, base, applied: null };
  return { kept: applied.kept, base, applied };
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

const hexOf = (text: string, chars: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, chars);

function namesOf(belonging: Belonging, secretKey: string): Names {
  const ofPolicy = `keyrail-${hexOf(JSON.stringify(belonging), 16)}`;
  return { ofPolicy, own: `${ofPolicy}-${hexOf(`keyrail policy cache ${secretKey}`, 8)}` };
}
