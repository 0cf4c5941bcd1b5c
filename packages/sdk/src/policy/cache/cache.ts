// The policy cache: the last good policy in a file, so a cold start needs no control plane, and a
// small journal of the changes made since. Both are encrypted (see format.ts). If the files are
// damaged or the disk fails, the node works without a cache.
import type { Log } from '../../api/options.ts';
import type { Clock } from '../../clock.ts';
import { Unproven } from '../proof/verify-answer.ts';
import type { Policy } from '../state.ts';
import {
  belongingOf,
  type CacheNaming,
  JOURNAL_END,
  makeDirectory,
  namesOf,
  POLICY_END,
  removeAbandoned,
  sweep,
} from './directory.ts';
import { openDisk } from './files.ts';
import { type Belonging, type Kept, type KeptTimes, restore } from './format.ts';
import { applyJournal, type JournalDelta } from './journal.ts';
import { applyProvenJournal, type ProvenParts, restoreProven } from './proven.ts';
import { isOfDisk } from './sealed-file.ts';
import { readNewest, removeVersions, type Versioned, versionsOf } from './versions.ts';
import { type Found, Writing } from './writing.ts';

export type DiskCache = {
  /**
   * Loads the cached policy; null if it is missing, invalid or from a different feed. Never
   * rejects.
   */
  load(): Promise<Kept | null>;
  /**
   * Schedules a policy to be written. `delta` is the change that produced it; null after a
   * snapshot. A delta that contains anything other than new keys is written immediately, because a
   * revocation must survive a restart.
   */
  keep(policy: Policy, times: KeptTimes, delta?: JournalDelta | null): void;
  /**
   * Resolves to true if a node that starts from this cache would reject every key removed so far:
   * either the removals have been written, or there are no files. Resolves to false if the files
   * can be neither updated nor removed; the policy in force must then not be acknowledged. Never
   * rejects.
   */
  secure(): Promise<boolean>;
  /** Records when the node sent the request that confirmed the policy in force. */
  confirm(sentAtMs: number): void;
  /** Why the cache cannot be written; null when it can. */
  failure(): string | null;
  /** Writes any pending changes. Never rejects. */
  close(): Promise<void>;
};

export type CacheParts = Omit<CacheNaming, 'isProven'> & {
  /** Set if the cache stores signed responses, which are verified when the cache is loaded. */
  proven?: ProvenParts | null;
  clock: Clock;
  log: Log;
};

export function openDiskCache(parts: CacheParts, dir: string): DiskCache {
  const { secretKey, clock, log, proven = null } = parts;
  const naming = { ...parts, isProven: proven !== null };
  const belonging = belongingOf(naming);
  const names = namesOf(naming);
  const whole = { dir, own: names.own, end: POLICY_END, secretKey };
  const journal = { ...whole, end: JOURNAL_END };
  const failed = (what: string) => (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log('warn', `keyrail: ${what} the policy cache: ${why}`);
    return null;
  };
  const failures = failed('failed to write');
  const disk = openDisk({ whole, journal, belonging, failed: failures });
  const writing = new Writing(clock, disk);

  return {
    load: async () => {
      try {
        await makeDirectory(dir);
        await sweep(dir, names, clock.now());
      } catch (error) {
        return failed('ignoring')(error);
      }
      try {
        const found = await readBoth({ whole, journal, belonging, proven });
        if (!found) {
          const paths = versionsOf(journal).map(({ path }) => path);
          await removeAbandoned(paths, clock.now());
          return null;
        }
        writing.begin(found);
        return found.kept;
      } catch (error) {
        // Files that cannot be decrypted must not block later writes, so they are removed. After a
        // disk error, or without the list of signing keys, they may still be valid and are kept.
        const isUndecided = error instanceof Unproven && error.isUndecided;
        if (!isOfDisk(error) && !isUndecided) await removeBoth(whole, journal).catch(() => {});
        return failed('ignoring')(error);
      }
    },
    keep: (policy, times, delta = null) => writing.keep({ policy, ...times }, delta),
    secure: () => writing.secure(),
    confirm: (sentAtMs) => writing.confirm(sentAtMs),
    failure: () => writing.failure,
    close: () => writing.close(),
  };
}

type Reading = {
  whole: Versioned;
  journal: Versioned;
  belonging: Belonging;
  proven: ProvenParts | null;
};

/** Reads both files; null if there are none. Throws if they are invalid. */
async function readBoth(parts: Reading): Promise<Found | null> {
  const { belonging, proven } = parts;
  const { journal, plain } = await readFiles(parts);
  if (!plain) return null;
  if (!journal) throw new Error('its journal is missing, and may have contained revocations');
  // decisions/0033 explains why there are two formats.
  const reading = proven && { ...proven, belonging };
  const kept = await (reading ? restoreProven(plain, reading) : restore(plain, belonging, breathe));
  const base = kept.policy.version;
  const applied = await (reading
    ? applyProvenJournal(kept, journal, reading)
    : applyJournal(kept, journal, { belonging, breathe }));
  if (applied === 'a gap') throw new Error('its journal starts too late, so changes are missing');
  if (applied === 'nothing new') return { kept, base, applied: null };
  return { kept: applied.kept, base, applied };
}

/**
 * The journal is read first. If another process replaces the policy file before that file is read,
 * the file can only be newer than the journal expects. If another process writes the first files in
 * the meantime, only the policy file is found, and both files are read again.
 */
async function readFiles({ whole, journal }: Reading) {
  const read = async () => {
    const news = await readNewest(journal);
    return { journal: news, plain: await readNewest(whole) };
  };
  const files = await read();
  return files.plain && !files.journal ? read() : files;
}

/** Removes the policy file first, because it must never exist without its journal. */
async function removeBoth(whole: Versioned, journal: Versioned): Promise<void> {
  await removeVersions(whole);
  await removeVersions(journal);
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));
