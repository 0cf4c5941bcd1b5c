// Follows the policy feed of one project, one request at a time:
//
//   no policy ─▶ snapshot, page by page ─▶ delta since its version, held open ─▶ delta …
//
// A snapshot is built separately and swapped in as a whole. A delta is checked completely, then
// applied in one synchronous step. A failure changes nothing: the last good policy stays in force
// and the request is retried after a pause. A delta request acknowledges its `since` version, so it
// is sent only when that version is in force and a node that starts from the cache would not accept
// the keys it removed.
import type { Env } from '../api/context.ts';
import type { Chance, Clock } from '../clock.ts';
import { InvalidContent } from '../json.ts';
import type { Transport } from '../transport.ts';
import type { KeptTimes } from './cache/format.ts';
import type { JournalDelta } from './cache/journal.ts';
import { Failed } from './failed.ts';
import { createLongPoll, type LongPoll } from './long-poll.ts';
import { POLL_MS_MAX, spread, waitMsAfter, wakeMs } from './pace.ts';
import { Pause } from './pause.ts';
import type { FeedVerifier } from './proof/proof.ts';
import { createRenewal } from './proof/renewal.ts';
import { readSnapshot, turn } from './snapshot.ts';
import { type Proven, Source, type SourceParts } from './source.ts';
import type { Confirmation, Policy, PolicyState } from './state.ts';
import { earlier, type Moment, momentOf, type Time } from './time.ts';
import type { Delta, SnapshotPage } from './wire.ts';

type FeedParts = {
  bases: readonly string[];
  projectId: string;
  /** The environment that the feed must be limited to; null for both. */
  env: Env | null;
  filter: SourceParts['filter'];
  nodeName: string;
  nodeId: string;
  sdk: string;
  /** Verifies the signatures of responses; null if signatures are not verified. */
  verifier: FeedVerifier | null;
  longPoll: boolean;
  pollMs: number;
  staleAfterMs: number;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  time: Time;
  state: PolicyState;
  /** The policy cache; null if there is none. */
  cache: FeedCache | null;
};

/** The cache functions that the feed uses. */
type FeedCache = {
  /** Called after each change. `delta` is null after a snapshot. */
  keep(policy: Policy, kept: KeptTimes, delta: JournalDelta | null): void;
  /** Called after each response without changes, with the time of its request. */
  confirm(sentAtMs: number): void;
  /** True if a node that starts from the cache would accept none of the keys removed so far. */
  secure(): Promise<boolean>;
};

/** After this many immediate responses in a row, each further poll is delayed. */
const BURST_MAX = 10;
const BURST_PAUSE_MS = 50;
/** How often a node that cannot acknowledge its version reports that it is alive. */
const STAY_MS = 30_000;

type Adopted = { generatedAt: number; confirmation: Confirmation };

type Polled = { outcome: 'changes' | 'quiet' | 'failed'; holdMs: number; tookMs: number };

export class Feed {
  readonly #parts: FeedParts;
  readonly #source: Source;
  readonly #longPoll: LongPoll;
  readonly #needsRenewal: (proofs: Policy['proofs']) => boolean;
  readonly #stopping = new AbortController();
  readonly #pause: Pause;
  /**
   * The newest version whose removed keys would not be accepted by a node that starts from the
   * cache.
   */
  #securedVersion = 0;
  #stayedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #burst = 0;
  /**
   * Whether the last delta was malformed or could not be applied, so that the node fetches a
   * snapshot next.
   */
  #startsOver = false;
  /** The time after which `wake` may end the next pause early; null if it may not. */
  #wakesAfterMs: number | null = null;

  constructor(parts: FeedParts) {
    const { signal } = this.#stopping;
    this.#parts = parts;
    this.#pause = new Pause(parts.clock, signal);
    this.#source = new Source({ ...parts, signal, pause: (ms) => this.#pause.wait(ms) });
    this.#longPoll = createLongPoll(parts);
    const { verifier } = parts;
    this.#needsRenewal = verifier ? createRenewal({ ...parts, verifier }) : () => false;
  }

  /** Runs until `stop`. Never rejects. */
  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pauseMs = await this.#step();
      if (pauseMs > 0) await this.#pause.wait(pauseMs, this.#wakesAfterMs);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** The control plane has just responded to another request, so a back-off can end early. */
  wake(): void {
    this.#pause.wake();
  }

  /**
   * Unregisters this node, so that revocations no longer wait for it. Call this after `stop`. Never
   * rejects.
   */
  leave(): Promise<void> {
    return this.#source.leave(this.#securedVersion);
  }

  /**
   * A response confirms the policy as of the time of its request, because a suspended process may
   * read the response long after it was sent. A signed response that was held back confirms the
   * policy only as of its signature.
   */
  #confirmation(sentAt: Moment): Confirmation {
    const { verifier } = this.#parts;
    const at = earlier(sentAt, verifier?.confirmedAt() ?? sentAt);
    return { at, clockFault: verifier?.clockFault() ?? null };
  }

  /** Makes one request; returns the wait before the next. */
  async #step(): Promise<number> {
    const { policy } = this.#parts.state;
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
    const { state, clock } = this.#parts;
    const sentAt = momentOf(clock);
    const first = await this.#source.page(null, state.policy?.workspaceId ?? null);
    await this.#activate(first, this.#confirmation(sentAt));
    return 0;
  }

  async #follow(policy: Policy): Promise<number> {
    const { clock, state, cache } = this.#parts;
    const isNamed = await this.#isSecured(policy);
    // A stale policy needs a quick confirmation, and a held poll may not get a response for a long
    // time.
    const holdMs = state.isStale ? 0 : this.#longPoll.next();
    const sentAt = momentOf(clock);
    const ended = (outcome: Polled['outcome']): Polled => {
      const polled = { outcome, holdMs, tookMs: clock.monotonicMs() - sentAt.elapsedMs };
      this.#longPoll.ended(polled);
      return polled;
    };
    const answer = await this.#source
      .since(policy.version, policy.workspaceId, { holdMs, isNamed })
      .catch((error: unknown) => {
        ended('failed');
        this.#startsOver = error instanceof InvalidContent;
        throw error;
      });
    this.#stopping.signal.throwIfAborted();
    const polled = ended(answer === null ? 'quiet' : 'changes');
    const confirmation = this.#confirmation(sentAt);
    if (answer === null) {
      state.confirmed(policy, confirmation);
      cache?.confirm(confirmation.at.wallMs);
    } else if (answer.kind === 'snapshot') await this.#activate(answer, confirmation);
    else {
      this.#apply(policy, answer, confirmation);
      for (const _ of policy.table.shrink()) await turn();
    }
    this.#startsOver ||= this.#needsRenewal(state.policy?.proofs);
    return this.#pauseMsAfter(polled);
  }

  /**
   * Whether the policy in force may be acknowledged. It may not be acknowledged while the cache has
   * an older copy that can be neither updated nor removed. In the meantime, polls omit the node's
   * name, except for one poll every STAY_MS, which reports the last secured version, so that
   * revocations wait for this node and are reported as incomplete.
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
    const { chance, pollMs, state } = this.#parts;
    const holdsNext = this.#longPoll.next() > 0;
    if (!holdsNext) return spread(pollMs, chance);
    // Slow down instead of polling in a tight loop, because either the server did not hold the
    // poll, or it was not asked to hold the poll and the response left the policy stale.
    const isPlain = holdMs === 0 ? state.isStale : tookMs < holdMs / 2;
    if (outcome === 'quiet' && isPlain) return spread(pollMs, chance) / 4;
    this.#burst = outcome === 'changes' && tookMs < BURST_PAUSE_MS ? this.#burst + 1 : 0;
    return this.#burst > BURST_MAX ? BURST_PAUSE_MS : 0;
  }

  #apply(policy: Policy, delta: Proven<Delta>, confirmation: Confirmation): void {
    const { since, version, changes, projectDeleted, generatedAt, proof } = delta;
    // The steps below are all synchronous. If one of them throws, the next request fetches a
    // snapshot.
    this.#startsOver = true;
    if (since !== policy.version)
      throw new InvalidContent('the delta starts at a different version');
    if (version <= since) throw new InvalidContent('the version went backwards');
    const { table, projectDeleted: wasDeleted } = policy;
    const { size } = table;
    table.apply(changes);
    policy.version = version;
    policy.projectDeleted = projectDeleted;
    if (proof) policy.proofs?.deltas.push(proof);
    this.#startsOver = false;
    const isOnlyMore = table.size === size + changes.length && projectDeleted === wasDeleted;
    this.#adopt(policy, { generatedAt, confirmation }, { since, changes, isOnlyMore, proof });
  }

  /** Reads the remaining pages; the old policy stays in force until the last one is read. */
  async #activate(first: Proven<SnapshotPage>, confirmation: Confirmation): Promise<void> {
    const { version, workspaceId, generatedAt } = first;
    const known = this.#parts.state.policy;
    if (known && version < known.version) {
      // After a server rollback, the same version number may mean a different policy.
      this.#startsOver = true;
      throw new InvalidContent(
        `the policy version is older than ${known.version}, which this node already has; restore the ` +
          `database with keyrail-server restore --ahead-of ${known.version}`,
      );
    }
    const { table, projectDeleted, proofs } = await readSnapshot(this.#source, first);
    this.#stopping.signal.throwIfAborted();
    const { env } = this.#parts;
    this.#startsOver = false;
    const policy = { table, version, workspaceId, env, projectDeleted, proofs };
    this.#adopt(policy, { generatedAt, confirmation }, null);
  }

  #adopt(policy: Policy, { generatedAt, confirmation }: Adopted, delta: JournalDelta | null): void {
    const { time, state, cache } = this.#parts;
    time.heard(generatedAt);
    state.confirmed(policy, confirmation);
    cache?.keep(policy, { savedAt: generatedAt, confirmedAt: confirmation.at.wallMs }, delta);
  }

  #failed(error: unknown): number {
    const { state, chance } = this.#parts;
    this.#failures += 1;
    const failures = this.#failures;
    if (error instanceof Failed) {
      const { terms } = error;
      state.failed({ hard: terms.hard, message: error.message });
      if (!terms.hard && !terms.isLimited) this.#wakesAfterMs = wakeMs(chance);
      return waitMsAfter({ failures, ...terms }, chance);
    }
    const why = error instanceof Error ? error.message : String(error);
    state.failed({ hard: true, message: `failed to apply a policy feed response: ${why}` });
    const terms = { hard: true, retryAfterMs: null, isLimited: false };
    // The server is reachable and this node keeps using its old policy, so it must poll often
    // enough for revocations to wait for it.
    return Math.min(waitMsAfter({ failures, ...terms }, chance), POLL_MS_MAX);
  }
}
