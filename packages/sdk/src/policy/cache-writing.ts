// When the policy is written down: the whole now and then, what changed since as soon as it must
// not be forgotten.
import type { Clock } from '../clock.ts';
import type { Kept } from './cache-form.ts';
import { type Applied, type News, NewsLog } from './cache-news.ts';
import type { Policy } from './standing.ts';

/** Writing the whole is put off, but for the first time the longer, the more there is to write. */
const SOON_MS = 1_000;
const LATER_MS = 30_000;
const PAUSE_MS_PER_KEY = 0.2;
/** News are written at once, and then again after so long. */
const NEWS_PAUSE_MS = 1_000;
/** What the disk did not take is tried again after so long. */
const RETRY_MS = 60_000;

/** What was on the disk: a whole of the version `base`, and what it came to with its news. */
export type Found = { kept: Kept; base: number; applied: Applied | null };

export type Disk = {
  versionThere(): number;
  /** Which version is there after it; null when it failed. */
  whole(latest: Kept): Promise<number | null>;
  news(latest: Kept, news: NewsLog): Promise<number | null>;
};

/** What is written, and when. */
export class Writing {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #news = new NewsLog();
  readonly #whole: Earliest;
  readonly #fresh: Earliest;
  /** The version of the whole that is known to be on the disk. */
  #base: number | null = null;
  #latest: Kept | null = null;
  /** The newest is not in the whole on the disk. */
  #isPending = false;
  /** Nor in the news, and it must not wait for the whole. */
  #isUrgent = false;
  #wholeBegunAt = Number.NEGATIVE_INFINITY;
  #newsBegunAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, disk: Disk) {
    this.#clock = clock;
    this.#disk = disk;
    this.#whole = earliest(clock, () => this.#writeWhole());
    this.#fresh = earliest(clock, () => this.#writeNews());
  }

  /** Goes on from what was found. */
  begin({ kept, base, applied }: Found): void {
    this.#base = base;
    if (applied) this.#news.addTexts(applied.since, kept.policy.version, applied.texts);
  }

  keep(latest: Kept, told: News | null): void {
    const { policy } = latest;
    const isOnlyMore = told?.isOnlyMore === true;
    this.#latest = latest;
    this.#isPending = true;
    if (!isOnlyMore) this.#isUrgent = true;
    if (told) this.#news.add(told.since, policy.version, told.changes);
    else this.#news.clear();
    const isOnNews = this.#isOnNews();
    if (isOnNews && this.#isUrgent) this.#fresh.within(this.#newsPauseMs());
    const canWait = isOnNews || isOnlyMore;
    this.#whole.within(canWait ? this.#longPauseMs(policy) : this.#pauseMs(policy));
  }

  async close(): Promise<void> {
    await this.#fresh.close();
    // It is small, and who closes a program may lose patience over the whole.
    await this.#writeNews();
    await this.#whole.close();
    await this.#writeWhole();
  }

  #isOnNews(): boolean {
    return this.#base !== null && this.#news.follows(this.#base);
  }

  #newsPauseMs(): number {
    return Math.max(0, this.#newsBegunAt + NEWS_PAUSE_MS - this.#clock.monotonicMs());
  }

  /** Nothing but the whole will do: soon, but not again and again. */
  #pauseMs({ table }: Policy): number {
    const pauseMs = SOON_MS + table.size * PAUSE_MS_PER_KEY;
    return Math.max(SOON_MS, this.#wholeBegunAt + pauseMs - this.#clock.monotonicMs());
  }

  #longPauseMs({ table }: Policy): number {
    const wasWritten = this.#wholeBegunAt !== Number.NEGATIVE_INFINITY;
    return wasWritten ? LATER_MS + table.size * PAUSE_MS_PER_KEY : SOON_MS;
  }

  async #writeWhole(): Promise<void> {
    const due = this.#latest;
    if (!due || !this.#isPending) return;
    this.#isPending = false;
    this.#wholeBegunAt = this.#clock.monotonicMs();
    const there = await this.#disk.whole(due);
    if (there === null) {
      this.#isPending = true;
      this.#whole.within(RETRY_MS);
      return;
    }
    this.#base = there;
    this.#news.forget(there);
    // What was told meanwhile can be put upon it now.
    if (this.#latest && this.#latest.policy.version <= there) this.#isUrgent = false;
    else if (this.#isUrgent && this.#isOnNews()) this.#fresh.within(0);
  }

  async #writeNews(): Promise<void> {
    if (!this.#isUrgent || this.#base === null) return;
    // Others write there as well, and sweep.
    this.#base = this.#disk.versionThere();
    const latest = this.#latest;
    if (!latest) return;
    if (!this.#isOnNews()) {
      this.#whole.within(this.#pauseMs(latest.policy));
      return;
    }
    this.#isUrgent = false;
    this.#newsBegunAt = this.#clock.monotonicMs();
    if ((await this.#disk.news(latest, this.#news)) !== null) return;
    this.#isUrgent = true;
    this.#fresh.within(RETRY_MS);
  }
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
  let isClosed = false;
  return {
    within: (ms) => {
      const at = clock.monotonicMs() + ms;
      if (at >= dueAt || isClosed) return;
      cancel();
      dueAt = at;
      cancel = clock.after(ms, () => {
        dueAt = Number.POSITIVE_INFINITY;
        acting = acting.then(act);
      });
    },
    close: () => {
      isClosed = true;
      cancel();
      return acting;
    },
  };
}
