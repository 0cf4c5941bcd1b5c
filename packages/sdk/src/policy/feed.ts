// Follows the policy feed of one project, one exchange at a time:
//
//   nothing known ─▶ snapshot, page by page ─▶ delta since its version, held open ─▶ delta …
//
// A snapshot is put together aside and swapped in whole. A delta is checked whole, then applied
// whole, between two requests of the vendor. What fails changes nothing: the last good policy stays
// and the exchange is tried again after a pause. Asking for what came after a version acknowledges
// it, so a delta is asked for only when everything before it is in force, and when a start from the
// cache would not forget it.
import type { Chance, Clock } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Time } from '../time.ts';
import type { Transport } from '../transport.ts';
import type { News } from './cache-news.ts';
import { createHolding, type Holding } from './holding.ts';
import { POLL_MS_MAX, spread, waitMsAfter, wakeMs } from './pace.ts';
import { Pause } from './pause.ts';
import { readSnapshot } from './snapshot.ts';
import { Failed, Source, type SourceParts } from './source.ts';
import type { Policy, Standing } from './standing.ts';
import { type Delta, FeedFault, type SnapshotPage } from './wire.ts';

export type FeedParts = {
  projectId: string;
  /** What the feed must be narrowed to; null for both environments. */
  env: Env | null;
  filter: SourceParts['filter'];
  nodeId: string;
  longPoll: boolean;
  pollMs: number;
  staleAfterMs: number;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  time: Time;
  standing: Standing;
  /** Null without a cache. */
  cache: FeedCache | null;
};

/** What the feed asks of a cache. */
export type FeedCache = {
  /** After each change, with the control plane's time of it; null when all of it is new. */
  keep(policy: Policy, generatedAt: number, news: News | null): void;
  /** After each answer that there is nothing new. */
  confirm(): void;
  /** Whether a start from the cache would admit no key that was taken away until now. */
  secure(): Promise<boolean>;
};

/** So many answers may follow each other at once; then there is a pause between them. */
const BURST_MAX = 10;
const BURST_PAUSE_MS = 50;
/** A node that acknowledges nothing shows this often that it is there. */
const STAY_MS = 30_000;

type Polled = { outcome: 'news' | 'quiet' | 'failed'; holdMs: number; tookMs: number };

export class Feed {
  readonly #parts: FeedParts;
  readonly #source: Source;
  readonly #holding: Holding;
  readonly #stopping = new AbortController();
  readonly #pause: Pause;
  /** The last version that a start from the cache would not forget. */
  #securedVersion = 0;
  #stayedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #burst = 0;
  /** What a delta said could not be understood, or not be applied: the whole may be. */
  #startsOver = false;
  /** When a pause that is due may be cut short; null when it may not. */
  #wakesAfterMs: number | null = null;

  constructor(parts: FeedParts) {
    const { signal } = this.#stopping;
    this.#parts = parts;
    this.#pause = new Pause(parts.clock, signal);
    this.#source = new Source({ ...parts, signal, pause: (ms) => this.#pause.wait(ms) });
    this.#holding = createHolding(parts);
  }

  /** Until it is stopped. Never rejects. */
  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pauseMs = await this.#step();
      if (pauseMs > 0) await this.#pause.wait(pauseMs, this.#wakesAfterMs);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** The control plane has just answered something else: a wait for it is cut short. */
  wake(): void {
    this.#pause.wake();
  }

  /** After it was stopped: no revocation has to wait for this node any more. Never rejects. */
  leave(): Promise<void> {
    return this.#source.leave(this.#securedVersion);
  }

  /** One exchange, and how long to wait before the next. */
  async #step(): Promise<number> {
    const { policy } = this.#parts.standing;
    this.#wakesAfterMs = null;
    try {
      const pauseMs =
        policy && !this.#startsOver ? await this.#follow(policy) : await this.#start();
      this.#failures = 0;
      return pauseMs;
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#failed(error);
    }
  }

  async #start(): Promise<number> {
    const { policy } = this.#parts.standing;
    await this.#activate(await this.#source.page(null, policy?.workspaceId ?? null));
    return 0;
  }

  async #follow(policy: Policy): Promise<number> {
    const { clock, standing, cache } = this.#parts;
    const isNamed = await this.#isSecured(policy);
    // What is in doubt is confirmed by an answer, and a held poll may have none for long.
    const holdMs = standing.degraded ? 0 : this.#holding.next();
    const beganAt = clock.monotonicMs();
    const ended = (outcome: Polled['outcome']): Polled => {
      const polled = { outcome, holdMs, tookMs: clock.monotonicMs() - beganAt };
      this.#holding.ended(polled);
      return polled;
    };
    const answer = await this.#source
      .since(policy.version, policy.workspaceId, { holdMs, isNamed })
      .catch((error: unknown) => {
        ended('failed');
        this.#startsOver = error instanceof FeedFault;
        throw error;
      });
    this.#stopping.signal.throwIfAborted();
    const polled = ended(answer === null ? 'quiet' : 'news');
    if (answer === null) {
      standing.confirmed(policy);
      cache?.confirm();
    } else if (answer.kind === 'snapshot') await this.#activate(answer);
    else this.#apply(policy, answer);
    return this.#pauseMsAfter(polled);
  }

  /**
   * Whether the policy in force may be acknowledged. While it may not, because the cache holds an
   * older copy that it can neither follow up nor remove, polls bear no name. Now and then one says
   * that the node is there, with the last version that the cache would not forget: a revocation
   * waits for it, and is told that it is not complete.
   */
  async #isSecured({ version }: Policy): Promise<boolean> {
    const { cache, clock } = this.#parts;
    if (cache === null || (await cache.secure())) {
      this.#securedVersion = version;
      return true;
    }
    const now = clock.monotonicMs();
    if (now - this.#stayedAt >= STAY_MS) {
      this.#stayedAt = now;
      await this.#source.stay(this.#securedVersion);
    }
    return false;
  }

  #pauseMsAfter({ outcome, holdMs, tookMs }: Polled): number {
    const { chance, pollMs } = this.#parts;
    const holdsNext = this.#holding.next() > 0;
    if (!holdsNext) return spread(pollMs, chance);
    // Nothing new, and sooner than it should have been said: not to be asked in a loop.
    if (outcome === 'quiet' && holdMs > 0 && tookMs < holdMs / 2) return spread(pollMs, chance) / 4;
    this.#burst = outcome === 'news' && tookMs < BURST_PAUSE_MS ? this.#burst + 1 : 0;
    return this.#burst > BURST_MAX ? BURST_PAUSE_MS : 0;
  }

  #apply(policy: Policy, { since, version, changes, projectDeleted, generatedAt }: Delta): void {
    // Until the last line of this nothing else runs; should one throw, the whole is read anew.
    this.#startsOver = true;
    if (since !== policy.version) throw new FeedFault('it is a delta since another version');
    if (version <= since) throw new FeedFault('a version went back');
    const { table, projectDeleted: wasDeleted } = policy;
    const { size } = table;
    table.apply(changes);
    policy.version = version;
    policy.projectDeleted = projectDeleted;
    this.#startsOver = false;
    const isOnlyMore = table.size === size + changes.length && projectDeleted === wasDeleted;
    this.#adopt(policy, generatedAt, { since, changes, isOnlyMore });
  }

  /** Reads the remaining pages; what was known stays in force until the last one is in. */
  async #activate(first: SnapshotPage): Promise<void> {
    const { version, workspaceId, generatedAt } = first;
    const known = this.#parts.standing.policy;
    if (known && version < known.version) {
      // Should it come to this version again, that says nothing of what is known here.
      this.#startsOver = true;
      throw new FeedFault('a version went back');
    }
    const { table, projectDeleted } = await readSnapshot(this.#source, first);
    this.#stopping.signal.throwIfAborted();
    const { env } = this.#parts;
    this.#startsOver = false;
    this.#adopt({ table, version, workspaceId, env, projectDeleted }, generatedAt, null);
  }

  #adopt(policy: Policy, generatedAt: number, news: News | null): void {
    this.#parts.time.heard(generatedAt);
    this.#parts.standing.confirmed(policy);
    this.#parts.cache?.keep(policy, generatedAt, news);
  }

  #failed(error: unknown): number {
    const { standing, chance } = this.#parts;
    this.#failures += 1;
    const failures = this.#failures;
    if (error instanceof Failed) {
      const { terms } = error;
      standing.failed({ hard: terms.hard, message: error.message });
      if (!terms.hard && !terms.isLimited) this.#wakesAfterMs = wakeMs(chance);
      return waitMsAfter({ failures, ...terms }, chance);
    }
    const why = error instanceof Error ? error.message : String(error);
    standing.failed({ hard: true, message: `the policy feed cannot be followed: ${why}` });
    const terms = { hard: true, retryAfterMs: null, isLimited: false };
    // It is heard, and still decides by what it has: revocations have to wait for it.
    return Math.min(waitMsAfter({ failures, ...terms }, chance), POLL_MS_MAX);
  }
}
