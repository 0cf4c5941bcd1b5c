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
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

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

  get retryAfterMs(): number | null {
    return this.failure.kind === 'refused' ? this.failure.retryAfterMs : null;
  }
}

function describe(failure: Failure): string {
  if (failure.kind === 'unreachable') {
    const why = [failure.reason, failure.code].filter(Boolean).join(': ');
    return `the control plane was not heard (${why})`;
  }
  return `the control plane answered ${failure.status} ${failure.code ?? ''}`.trim();
}

export class Source {
  readonly #parts: SourceParts;
  readonly #query: string;
  #pageKeys = PAGE_KEYS_FIRST;

  constructor(parts: SourceParts) {
    const { projectId, filter, nodeId } = parts;
    const query = new URLSearchParams({ project_id: projectId, node: nodeId });
    if (filter.env !== null) query.set('env', filter.env);
    for (const id of filter.tenantIds) query.append('tenant_id', id);
    this.#parts = parts;
    this.#query = query.toString();
  }

  /** What came after a version, or everything; null when there is nothing new. */
  async since(
    version: number,
    workspaceId: string,
    holdMs: number,
  ): Promise<SnapshotPage | Delta | null> {
    const query = `since=${version}&max_keys=${PAGE_KEYS_MAX}&wait_ms=${holdMs}`;
    const timeoutMs = holdMs > 0 ? holdMs + HOLD_GRACE_MS : PLAIN_TIMEOUT_MS;
    const body = await this.#ask('delta', query, timeoutMs);
    return body === UNCHANGED ? null : this.#read(body, workspaceId);
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
        const { retryAfterMs } = error;
        await pause(waitMsAfter({ failures, hard: false, retryAfterMs }, chance));
      }
    }
  }

  async #pageOnce(cursor: string | null, workspaceId: string | null): Promise<SnapshotPage> {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const body = await this.#ask('snapshot', `max_keys=${this.#pageKeys}${from}`, PAGE_TIMEOUT_MS);
    const page = this.#read(body, workspaceId);
    if (page.kind !== 'snapshot') throw new FeedFault('a snapshot was asked for');
    return page;
  }

  async #ask(line: 'snapshot' | 'delta', query: string, timeoutMs: number): Promise<unknown> {
    const { transport, signal } = this.#parts;
    const path = `/v1/policy/${line}?${this.#query}&${query}`;
    const bytesMax = ANSWER_BYTES_MAX;
    const outcome = await transport.send({ method: 'GET', path, timeoutMs, bytesMax, signal });
    if (outcome.kind !== 'answer') throw new Failed(outcome);
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

  #read(body: unknown, workspaceId: string | null): SnapshotPage | Delta {
    const { projectId, env } = this.#parts;
    return readFeed(body, { projectId, env, workspaceId });
  }
}
