// Follows the policy feed of one project, one exchange at a time:
//
//   nothing known ─▶ snapshot, page by page ─▶ delta since its version, held open ─▶ delta …
//
// A snapshot is put together aside and swapped in whole. A delta is checked whole, then applied
// whole, between two requests of the vendor. What fails changes nothing: the last good policy stays
// and the exchange is tried again after a pause. Asking for what came after a version acknowledges
// it, so a delta is asked for only when everything before it is in force.
import type { Chance, Clock } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Time } from '../time.ts';
import type { Transport } from '../transport.ts';
import type { News } from './cache-news.ts';
import { createHolding, type Holding } from './holding.ts';
import { POLL_MS_MAX, spread, waitMsAfter } from './pace.ts';
import { Failed, Source, type SourceParts } from './source.ts';
import type { Policy, Standing } from './standing.ts';
import { PolicyTable } from './table.ts';
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
  /** Told after each change, with the control plane's time of it; null when all of it is new. */
  onChange(policy: Policy, generatedAt: number, news: News | null): void;
};

/** So many answers may follow each other at once; then there is a pause between them. */
const BURST_MAX = 10;
const BURST_PAUSE_MS = 50;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Polled = { outcome: 'news' | 'quiet' | 'failed'; holdMs: number; tookMs: number };

export class Feed {
  readonly #parts: FeedParts;
  readonly #source: Source;
  readonly #holding: Holding;
  readonly #stopping = new AbortController();
  #failures = 0;
  #burst = 0;
  /** What a delta said could not be understood, or not be applied: the whole may be. */
  #startsOver = false;

  constructor(parts: FeedParts) {
    const { signal } = this.#stopping;
    this.#parts = parts;
    this.#source = new Source({ ...parts, signal, pause: (ms) => this.#pause(ms) });
    this.#holding = createHolding(parts);
  }

  /** Until it is stopped. Never rejects. */
  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pauseMs = await this.#step();
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** One exchange, and how long to wait before the next. */
  async #step(): Promise<number> {
    const { policy } = this.#parts.standing;
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
    const { clock, standing } = this.#parts;
    // What is in doubt is confirmed by an answer, and a held poll may have none for long.
    const holdMs = standing.degraded ? 0 : this.#holding.next();
    const beganAt = clock.monotonicMs();
    const ended = (outcome: Polled['outcome']): Polled => {
      const polled = { outcome, holdMs, tookMs: clock.monotonicMs() - beganAt };
      this.#holding.ended(polled);
      return polled;
    };
    const answer = await this.#source
      .since(policy.version, policy.workspaceId, holdMs)
      .catch((error: unknown) => {
        ended('failed');
        this.#startsOver = error instanceof FeedFault;
        throw error;
      });
    this.#stopping.signal.throwIfAborted();
    const polled = ended(answer === null ? 'quiet' : 'news');
    if (answer === null) standing.confirmed(policy);
    else if (answer.kind === 'snapshot') await this.#activate(answer);
    else this.#apply(policy, answer);
    return this.#pauseMsAfter(polled);
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
    const table = new PolicyTable();
    let page = first;
    for (;;) {
      // Reading it took a while; the vendor's requests come in between.
      await turn();
      for (const entry of page.entries) table.set(entry);
      if (page.cursor === null) break;
      page = await this.#source.page(page.cursor, workspaceId);
      if (page.version !== version) throw new FeedFault('a page is of another version');
    }
    for (const _ of table.settle()) await turn();
    this.#stopping.signal.throwIfAborted();
    const { env } = this.#parts;
    const { projectDeleted } = page;
    this.#startsOver = false;
    this.#adopt({ table, version, workspaceId, env, projectDeleted }, generatedAt, null);
  }

  #adopt(policy: Policy, generatedAt: number, news: News | null): void {
    this.#parts.time.heard(generatedAt);
    this.#parts.standing.confirmed(policy);
    this.#parts.onChange(policy, generatedAt, news);
  }

  #failed(error: unknown): number {
    const { standing, chance } = this.#parts;
    this.#failures += 1;
    const failures = this.#failures;
    if (error instanceof Failed) {
      const { hard } = error.failure;
      standing.failed({ hard, message: error.message });
      return waitMsAfter({ failures, hard, retryAfterMs: error.retryAfterMs }, chance);
    }
    const why = error instanceof Error ? error.message : String(error);
    standing.failed({ hard: true, message: `the policy feed cannot be followed: ${why}` });
    const waitMs = waitMsAfter({ failures, hard: true, retryAfterMs: null }, chance);
    // It is heard, and still decides by what it has: revocations have to wait for it.
    return Math.min(waitMs, POLL_MS_MAX);
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
