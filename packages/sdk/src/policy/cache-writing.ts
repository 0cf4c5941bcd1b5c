// When the policy is written to the disk. There are two files: the whole policy, written now and
// then, and a small journal beside it with what changed since.
//
// One rule governs both: a node acknowledges a version only when a start from the disk would admit
// no key that this version took away. So a version that takes something away is in the journal
// before it is acknowledged. Where the journal cannot be put upon the whole on the disk, or cannot
// be written, the copy on the disk is removed instead: no policy is better than a revoked key.
import type { Clock } from '../clock.ts';
import type { Disk } from './cache-disk.ts';
import type { Kept } from './cache-form.ts';
import { type Applied, type News, NewsLog } from './cache-news.ts';
import { type Earliest, earliest, type Shared, shared } from './cache-timing.ts';
import { type Condition, UNKNOWN_VERSION } from './sealed-file.ts';

/** Writing the whole is put off, but for the first time the longer, the more there is to write. */
const SOON_MS = 1_000;
const LATER_MS = 30_000;
const PAUSE_MS_PER_KEY = 0.2;
/** After a failure writing is tried again after 1, 2, 4 … 60 s. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 60_000;
const DOUBLINGS_MAX = 10;
/** The journal outlasts the process at once, and a power cut after this time. */
const SYNC_MS = 1_000;
/** How often it is noted that the control plane still confirms the policy. */
const CONFIRMED_MS = 60_000;
/** A policy of up to this many keys is written as quickly as a long journal. */
const SMALL_KEYS_MAX = 10_000;

/** What was on the disk: a whole of the version `base`, and what it came to with its journal. */
export type Found = { kept: Kept; base: number; applied: Applied | null };

/** The whole that was being written is older than a change that it cannot be followed by. */
class Overtaken extends Error {}

export class Writing {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #log = new NewsLog();
  readonly #whole: Earliest;
  readonly #sync: Earliest;
  readonly #securing: Shared<boolean>;
  #latest: Kept | null = null;
  /** The newest version that took something away. */
  #removedAt = UNKNOWN_VERSION;
  /** The policy came as a whole: the same version on the disk may be of another history. */
  #isReplaced = false;
  /** The newest is not in the whole on the disk. */
  #isPending = false;
  #wholeBegunAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  /** The whole is written, and waits for its journal. */
  #replacing: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(clock: Clock, disk: Disk) {
    this.#clock = clock;
    this.#disk = disk;
    this.#whole = earliest(clock, () => this.#writeWhole());
    this.#sync = earliest(clock, () => disk.syncJournal());
    this.#securing = shared(() => this.#secureOnce());
  }

  /** Why the last write failed; null since the one that did not. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Goes on from what was found. */
  begin({ kept, applied }: Found): void {
    this.#latest = kept;
    if (applied) this.#log.addTexts(applied.since, kept.policy.version, applied.texts);
  }

  keep(latest: Kept, told: News | null): void {
    const { version } = latest.policy;
    const isOnlyMore = told?.isOnlyMore === true;
    this.#latest = latest;
    this.#isPending = true;
    if (told) this.#log.add(told.since, version, told.changes);
    else this.#log.clear();
    this.#isReplaced ||= told === null;
    if (!isOnlyMore) {
      this.#removedAt = version;
      void this.secure();
    }
    const canWait = isOnlyMore || this.#log.follows(this.#disk.wholeVersion());
    this.#writeWithin(canWait ? this.#longPauseMs() : this.#pauseMs());
  }

  /** Notes now and then that the control plane confirmed the latest policy. */
  confirm(at: number): void {
    const latest = this.#latest;
    const elapsed = this.#clock.monotonicMs();
    if (!latest || this.#isClosed) return;
    latest.confirmedAt = at;
    if (elapsed - this.#confirmedAt < CONFIRMED_MS || this.#failures > 0) return;
    this.#confirmedAt = elapsed;
    const base = this.#disk.wholeVersion();
    const isThere = base === latest.policy.version && !this.#isReplaced;
    if (isThere || this.#log.follows(base)) {
      this.#writeJournal(latest).catch((error: unknown) => this.#failed(error));
    }
  }

  /**
   * Resolves when a start from the disk would admit no key that was taken away until now: true.
   * False when the old copy can neither be followed up nor removed. Never rejects.
   */
  async secure(): Promise<boolean> {
    // A whole is about to be replaced, and must not be overtaken by change after change.
    await this.#replacing?.catch(() => {});
    return this.#isRecorded(this.#removedAt) || this.#securing();
  }

  async close(): Promise<void> {
    // The journal first: it is small, and the program may not wait for the whole.
    await this.secure();
    this.#isClosed = true;
    await this.#sync.close();
    await this.#whole.close();
    await this.#writeWhole();
  }

  /** Whether the disk holds a removal, or no copy. Other processes write there as well. */
  #isRecorded(removedAt: number): boolean {
    const base = this.#disk.wholeVersion();
    if (base === null) return true;
    if (this.#isReplaced) return base > removedAt;
    return base >= removedAt || this.#isInJournal(removedAt);
  }

  #isInJournal(removedAt: number): boolean {
    return (this.#disk.journalVersion() ?? UNKNOWN_VERSION) >= removedAt;
  }

  async #secureOnce(): Promise<boolean> {
    // What is removed while this runs has asked for another run.
    const removedAt = this.#removedAt;
    const isResting = this.#clock.monotonicMs() < this.#retryAt;
    if (isResting || this.#isClosed) return this.#isRecorded(removedAt);
    const failures = this.#failures;
    const faults: unknown[] = [];
    const note = (error: unknown) => void faults.push(error);
    if (!this.#isRecorded(removedAt)) await this.#record().catch(note);
    // Nothing else has helped: the old copy must go.
    if (!this.#isRecorded(removedAt)) await this.#clear().catch(note);
    if (faults.length > 0 && this.#failures === failures) this.#failed(faults[0]);
    return this.#isRecorded(removedAt);
  }

  /** Writes the journal, or the whole where that is small: with more than that nothing may wait. */
  async #record(): Promise<void> {
    const latest = this.#latest;
    if (!latest) return;
    if (this.#log.follows(this.#disk.wholeVersion())) await this.#writeJournal(latest);
    else if (latest.policy.table.size <= SMALL_KEYS_MAX) await this.#whole.now();
  }

  async #writeJournal(latest: Kept): Promise<void> {
    await this.#disk.writeJournal(latest, this.#log);
    this.#confirmedAt = this.#clock.monotonicMs();
    this.#sync.within(SYNC_MS);
  }

  async #clear(): Promise<void> {
    await this.#disk.clear();
    this.#isReplaced = false;
    this.#isPending = true;
    this.#writeWithin(this.#pauseMs());
  }

  async #writeWhole(): Promise<void> {
    const due = this.#latest;
    if (!due || !this.#isPending) return;
    this.#isPending = false;
    this.#wholeBegunAt = this.#clock.monotonicMs();
    try {
      const meeting = () => {
        this.#replacing = written;
      };
      const written = this.#disk.writeWhole(due, this.#conditionOf(due, meeting));
      await written;
      this.#failures = 0;
      this.#retryAt = Number.NEGATIVE_INFINITY;
      this.#trouble = null;
    } catch (error) {
      this.#isPending = true;
      if (error instanceof Overtaken) this.#writeWithin(this.#pauseMs());
      else this.#failed(error);
    } finally {
      this.#replacing = null;
    }
  }

  /** What was taken away while the whole was written must be in the journal when it is there. */
  #conditionOf({ policy }: Kept, meeting: () => void): Condition {
    const { version } = policy; // of this moment: it goes on while the whole is written
    const isSame = () => this.#latest?.policy === policy;
    return {
      isMet: () => this.#removedAt <= version || (isSame() && this.#isInJournal(this.#removedAt)),
      meet: async () => {
        meeting();
        if (!this.#latest || !this.#log.follows(version)) throw new Overtaken();
        await this.#writeJournal(this.#latest);
      },
      done: (there) => {
        this.#log.forget(there);
        if (isSame()) this.#isReplaced = false;
      },
    };
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const doublings = Math.min(this.#failures - 1, DOUBLINGS_MAX);
    const waitMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** doublings);
    this.#retryAt = this.#clock.monotonicMs() + waitMs;
    this.#trouble = error instanceof Error ? error.message : String(error);
    this.#isPending = true;
    this.#disk.failed(error);
    this.#writeWithin(waitMs);
  }

  /** Not before the next try is due. */
  #writeWithin(ms: number): void {
    this.#whole.within(Math.max(ms, this.#retryAt - this.#clock.monotonicMs()));
  }

  /** Nothing but the whole will do: soon, but not again and again. */
  #pauseMs(): number {
    const untilMs = this.#wholeBegunAt + SOON_MS + this.#weightMs();
    return Math.max(SOON_MS, untilMs - this.#clock.monotonicMs());
  }

  #longPauseMs(): number {
    const wasWritten = this.#wholeBegunAt !== Number.NEGATIVE_INFINITY;
    return wasWritten ? LATER_MS + this.#weightMs() : SOON_MS;
  }

  #weightMs(): number {
    return (this.#latest?.policy.table.size ?? 0) * PAUSE_MS_PER_KEY;
  }
}
