// The two lines of the policy feed as questions with checked answers.
import type { Chance } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Failure, Transport } from '../transport.ts';
import { waitMsAfter } from './pace.ts';
import { type Delta, FeedFault, readFeed, type SnapshotPage } from './wire.ts';

export type SourceParts = {
  transport: Transport;
  chance: Chance;
  projectId: string;
  /** What the feed must be narrowed to; null for both environments. */
  env: Env | null;
  /** Which keys are asked for. */
  filter: { env: Env | null; tenantIds: readonly string[] };
  nodeId: string;
  signal: AbortSignal;
  pause(ms: number): Promise<void>;
};

const PLAIN_TIMEOUT_MS = 10_000;
const PAGE_TIMEOUT_MS = 30_000;
/** What a held request may take beyond the time it is held. */
const HOLD_GRACE_MS = 10_000;
const PAGE_ATTEMPTS_MAX = 4;
/** Taking in so much takes some ten milliseconds, during which no request is served. */
const PAGE_BYTES_WANTED = 256 * 1024;
const PAGE_KEYS_FIRST = 1_000;
const PAGE_KEYS_MIN = 50;
const PAGE_KEYS_MAX = 5_000;
/** Far above what is wanted; the smallest page fits in it, however large its keys are. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Names, values and lists in one answer: parsing that many takes some ten megabytes. */
const ANSWER_VALUES_MAX = 400_000;
/** How long a node that closes waits for the control plane to take note. */
const LEAVE_MS_MAX = 2_000;

/** Not to be taken for an answer without a body, which says nothing at all. */
const UNCHANGED = Symbol('unchanged');

/** The control plane said no, or nothing. */
export class Failed extends Error {
  override readonly name = 'Failed';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(describe(failure));
    this.failure = failure;
  }

  /** What a wait after it depends on. */
  get terms(): { hard: boolean; retryAfterMs: number | null; isLimited: boolean } {
    const { failure } = this;
    if (failure.kind === 'unreachable')
      return { hard: false, retryAfterMs: null, isLimited: false };
    const { hard, retryAfterMs, status } = failure;
    return { hard, retryAfterMs, isLimited: status === 429 };
  }

  get isTooLarge(): boolean {
    return this.failure.kind === 'unreachable' && this.failure.reason === 'too_large';
  }
}

function describe(failure: Failure): string {
  if (failure.kind === 'unreachable') {
    const why = [failure.reason, failure.code].filter(Boolean).join(': ');
    return `the control plane was not heard (${why})`;
  }
  return `the control plane answered ${failure.status} ${failure.code ?? ''}`.trim();
}

/** How a poll is made. An unnamed one acknowledges nothing. */
export type Poll = { holdMs: number; isNamed: boolean };

export class Source {
  readonly #parts: SourceParts;
  readonly #query: string;
  readonly #node: string;
  #pageKeys = PAGE_KEYS_FIRST;
  #deltaKeys = PAGE_KEYS_MAX;
  #isKnown = false;

  constructor(parts: SourceParts) {
    const { projectId, filter, nodeId } = parts;
    const query = new URLSearchParams({ project_id: projectId });
    if (filter.env !== null) query.set('env', filter.env);
    for (const id of filter.tenantIds) query.append('tenant_id', id);
    this.#parts = parts;
    this.#query = query.toString();
    this.#node = `node=${encodeURIComponent(nodeId)}`;
  }

  /** What came after a version, or everything; null when there is nothing new. */
  async since(
    version: number,
    workspaceId: string,
    { holdMs, isNamed }: Poll,
  ): Promise<SnapshotPage | Delta | null> {
    const most = this.#deltaKeys;
    const name = isNamed ? `${this.#node}&` : '';
    const query = `${name}since=${version}&max_keys=${most}&wait_ms=${holdMs}`;
    const timeoutMs = holdMs > 0 ? holdMs + HOLD_GRACE_MS : PLAIN_TIMEOUT_MS;
    const body = await this.#ask('delta', query, timeoutMs).catch((error: unknown) => {
      // Asked for fewer changes than there are, the control plane answers with small pages.
      if (error instanceof Failed && error.isTooLarge) this.#deltaKeys = PAGE_KEYS_MIN;
      throw error;
    });
    this.#deltaKeys = PAGE_KEYS_MAX;
    return body === UNCHANGED ? null : this.#read(body, workspaceId, most);
  }

  /** Tells the control plane that this node is there, with no more than this version. */
  async stay(version: number): Promise<void> {
    const query = `${this.#node}&since=${version}&max_keys=1&wait_ms=0`;
    await this.#ask('delta', query, PLAIN_TIMEOUT_MS);
  }

  /** Tells the control plane not to wait for this node any more, if it knows it. Never rejects. */
  async leave(version: number): Promise<void> {
    const { transport } = this.#parts;
    if (!this.#isKnown) return;
    const query = `${this.#node}&since=${version}&max_keys=1&wait_ms=0&leave=true`;
    const path = `/v1/policy/delta?${this.#query}&${query}`;
    await transport.send({ method: 'GET', path, timeoutMs: LEAVE_MS_MAX });
  }

  /** One page; those in the middle of a snapshot are asked for again before it is given up. */
  async page(cursor: string | null, workspaceId: string | null): Promise<SnapshotPage> {
    const { chance, pause, signal } = this.#parts;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#pageOnce(cursor, workspaceId);
      } catch (error) {
        const isOver = cursor === null || failures >= PAGE_ATTEMPTS_MAX || signal.aborted;
        if (isOver || !(error instanceof Failed) || error.failure.hard) throw error;
        await pause(waitMsAfter({ failures, ...error.terms }, chance));
      }
    }
  }

  async #pageOnce(cursor: string | null, workspaceId: string | null): Promise<SnapshotPage> {
    const most = this.#pageKeys;
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const query = `${this.#node}&max_keys=${most}${from}`;
    const body = await this.#ask('snapshot', query, PAGE_TIMEOUT_MS).catch((error: unknown) => {
      if (error instanceof Failed && error.isTooLarge) this.#pageKeys = PAGE_KEYS_MIN;
      throw error;
    });
    const page = this.#read(body, workspaceId, most);
    if (page.kind !== 'snapshot') throw new FeedFault('a snapshot was asked for');
    return page;
  }

  async #ask(line: 'snapshot' | 'delta', query: string, timeoutMs: number): Promise<unknown> {
    const { transport, signal } = this.#parts;
    const path = `/v1/policy/${line}?${this.#query}&${query}`;
    const bounds = { bytesMax: ANSWER_BYTES_MAX, valuesMax: ANSWER_VALUES_MAX };
    const outcome = await transport.send({ method: 'GET', path, timeoutMs, ...bounds, signal });
    if (outcome.kind !== 'answer') throw new Failed(outcome);
    this.#isKnown = true;
    if (outcome.status === 304) return UNCHANGED;
    this.#weigh(outcome.body, outcome.bytes);
    return outcome.body;
  }

  /** Pages are made as large as parsing them may take, whatever a key weighs. */
  #weigh(body: unknown, bytes: number): void {
    const keys: unknown = Object(body).keys;
    if (!Array.isArray(keys) || keys.length < PAGE_KEYS_MIN) return;
    const wanted = Math.floor((PAGE_BYTES_WANTED * keys.length) / bytes);
    this.#pageKeys = Math.min(PAGE_KEYS_MAX, Math.max(PAGE_KEYS_MIN, wanted));
  }

  #read(body: unknown, workspaceId: string | null, entriesMax: number): SnapshotPage | Delta {
    const { projectId, env, filter } = this.#parts;
    const tenantIds = filter.tenantIds.length > 0 ? new Set(filter.tenantIds) : null;
    return readFeed(body, { projectId, env, tenantIds, workspaceId, entriesMax });
  }
}
