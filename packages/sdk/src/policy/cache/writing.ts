// Decides when the policy is written to disk. There are two files: the policy file ("whole"),
// written from time to time, and a small journal of the changes made since.
//
// One rule governs both: a node acknowledges a version only if a node that starts from disk would
// accept none of the keys that this version removed. So a version with removals is in the journal
// before it is acknowledged. If the journal does not match the policy file on disk, or cannot be
// written, the policy file is removed instead, because having no policy is better than accepting a
// revoked key.
import type { Clock } from '../../clock.ts';
import type { Disk } from './files.ts';
import type { Kept } from './format.ts';
import { type Applied, Journal, type JournalDelta } from './journal.ts';
import { provenLine } from './proven.ts';
import { type Condition, UNKNOWN_VERSION } from './sealed-file.ts';
import { type Earliest, earliest, type Shared, shared } from './timing.ts';

/**
 * Delays before the policy file is written. After the first write, they grow with the number of
 * keys.
 */
const SOON_MS = 1_000;
const LATER_MS = 30_000;
const PAUSE_MS_PER_KEY = 0.2;
/** After a failure, writing is retried after 1, 2, 4 … 60 s. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 60_000;
const DOUBLINGS_MAX = 10;
/** The maximum number of attempts to record a removal; then the policy file is removed instead. */
const RECORD_TRIES_MAX = 3;
/**
 * A written journal is synced to disk after this time. Until then, it survives if the process is
 * killed, but not a power cut.
 */
const SYNC_MS = 1_000;
/** How often the time of the last confirmation is written. */
const CONFIRMED_MS = 60_000;
/** A policy with at most this many keys can be written as quickly as a long journal. */
const SMALL_KEYS_MAX = 10_000;

/**
 * The files on disk: `base` is the policy file's version, and `kept` is its policy with the journal
 * applied.
 */
export type Found = { kept: Kept; base: number; applied: Applied | null };

/** Thrown if the policy file being written is outdated and the journal does not cover the gap. */
class Overtaken extends Error {}

export class Writing {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #log = new Journal();
  readonly #whole: Earliest;
  readonly #sync: Earliest;
  readonly #securing: Shared<boolean>;
  #latest: Kept | null = null;
  /** The newest version that may have removed keys. */
  #removedAt = UNKNOWN_VERSION;
  /**
   * Whether the policy came from a snapshot. If so, the same version on disk may have a different
   * history.
   */
  #isReplaced = false;
  /** Whether the policy file on disk lacks the newest version. */
  #isPending = false;
  #wholeBegunAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #failure: string | null = null;
  /** Pending while a new policy file, already written, waits for its journal. */
  #replacing: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(clock: Clock, disk: Disk) {
    this.#clock = clock;
    this.#disk = disk;
    this.#whole = earliest(clock, () => this.#writeWhole());
    this.#sync = earliest(clock, () => disk.syncJournal());
    this.#securing = shared(() => this.#secureOnce());
  }

  /** Why the last write failed; null after a success. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Continues from the policy and the journal loaded from disk. */
  begin({ kept, applied }: Found): void {
    this.#latest = kept;
    if (applied) this.#log.addTexts(applied.since, kept.policy.version, applied.texts);
  }

  keep(latest: Kept, delta: JournalDelta | null): void {
    const { version } = latest.policy;
    const isOnlyMore = delta?.isOnlyMore === true;
    this.#latest = latest;
    this.#isPending = true;
    if (delta?.proof) this.#log.addTexts(delta.since, version, [provenLine(delta.proof)]);
    else if (delta) this.#log.add(delta.since, version, delta.changes);
    else this.#log.clear();
    this.#isReplaced ||= delta === null;
    if (!isOnlyMore) {
      this.#removedAt = version;
      void this.secure();
    }
    const canWait = isOnlyMore || this.#log.follows(this.#disk.wholeVersion());
    this.#writeWithin(canWait ? this.#longPauseMs() : this.#pauseMs());
  }

  /**
   * Records on disk, at most every CONFIRMED_MS, that the control plane confirmed the latest
   * policy.
   */
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
   * Resolves to true if a node that starts from disk would accept none of the keys removed so far,
   * and to false if the files can neither be updated nor removed. Never rejects.
   */
  async secure(): Promise<boolean> {
    // The policy file is about to be replaced; a stream of changes must not delay that.
    await this.#replacing?.catch(() => {});
    return this.#isRecorded(this.#removedAt) || this.#securing();
  }

  async close(): Promise<void> {
    // The journal comes first, because it is small and the process may exit before the policy file
    // is written.
    await this.secure();
    this.#isClosed = true;
    await this.#sync.close();
    await this.#whole.close();
    await this.#writeWhole();
  }

  /**
   * Whether the removals of this version are on disk, or there are no files. Other processes that
   * share the directory may have written them.
   */
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
    // A key removed while this runs triggers another run.
    const removedAt = this.#removedAt;
    const isResting = this.#clock.monotonicMs() < this.#retryAt;
    if (isResting || this.#isClosed) return this.#isRecorded(removedAt);
    const failures = this.#failures;
    const faults: unknown[] = [];
    const note = (error: unknown) => void faults.push(error);
    // A snapshot that arrives during a write has to be written too.
    for (let tries = 0; tries < RECORD_TRIES_MAX && faults.length === 0; tries += 1) {
      if (!this.#isRecorded(removedAt)) await this.#record().catch(note);
    }
    // The removals could not be recorded, so the old policy file is removed.
    if (!this.#isRecorded(removedAt)) await this.#clear().catch(note);
    if (faults.length > 0 && this.#failures === failures) this.#failed(faults[0]);
    return this.#isRecorded(removedAt);
  }

  /** Writes the journal, or the policy file if it is small enough for a caller to wait for it. */
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
      this.#failure = null;
    } catch (error) {
      this.#isPending = true;
      if (error instanceof Overtaken) this.#writeWithin(this.#pauseMs());
      else this.#failed(error);
    } finally {
      this.#replacing = null;
    }
  }

  /**
   * Keys removed while the policy file is being written must be in the journal before that file is
   * put in place. Even if none are removed there must be a journal, so that the node notices the
   * next time it starts if the journal has been deleted.
   */
  #conditionOf({ policy }: Kept, meeting: () => void): Condition {
    const { version } = policy; // read now: it grows while the policy file is written
    const isSame = () => this.#latest?.policy === policy;
    return {
      isMet: () =>
        this.#disk.journalVersion() !== null &&
        (this.#removedAt <= version || (isSame() && this.#isInJournal(this.#removedAt))),
      meet: async () => {
        meeting();
        const latest = this.#latest;
        const isUnchanged = isSame() && policy.version === version;
        if (!latest || !(isUnchanged || this.#log.follows(version))) throw new Overtaken();
        await this.#writeJournal(latest);
        // The policy file will survive a power cut, so its journal has to survive one too.
        await this.#disk.syncJournal();
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
    this.#failure = error instanceof Error ? error.message : String(error);
    this.#isPending = true;
    this.#disk.failed(error);
    this.#writeWithin(waitMs);
  }

  /** Schedules the policy file to be written, but not before the next retry is due. */
  #writeWithin(ms: number): void {
    this.#whole.within(Math.max(ms, this.#retryAt - this.#clock.monotonicMs()));
  }

  /**
   * How long to wait before writing the policy file when the journal is not enough. The wait is
   * short, but longer after a recent write.
   */
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
