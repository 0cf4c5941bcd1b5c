// Sends requests to the policy feed's two endpoints, and checks the responses.
import {
  NODE_HEADER,
  NODE_NAME_HEADER,
  NODE_POLL_HEADER,
} from '@keyrail/protocol/wire/node-header.ts';
import { SDK_HEADER } from '@keyrail/protocol/wire/sdk-header.ts';
import type { Env } from '../api/context.ts';
import type { Chance, Clock } from '../clock.ts';
import { fieldsOf, InvalidContent } from '../json.ts';
import type { Outcome, Transport } from '../transport.ts';
import { Failed, remedyOf } from './failed.ts';
import { type FeedFilter, feedQuery } from './feed-query.ts';
import { longestSpread, waitMsAfter } from './pace.ts';
import type { FeedVerifier, Proof } from './proof/proof.ts';
import { type Delta, readFeed, type SnapshotPage } from './wire.ts';

export type SourceParts = {
  transport: Transport;
  clock: Clock;
  chance: Chance;
  /** The URLs of the control plane and its relays. */
  bases: readonly string[];
  projectId: string;
  /** The environment that the feed must be limited to; null for both. */
  env: Env | null;
  filter: FeedFilter;
  nodeName: string;
  nodeId: string;
  /** The SDK's name and version, which the control plane shows in its list of nodes. */
  sdk: string;
  pollMs: number;
  /** Verifies the signature of each response; null if no keys are set. */
  verifier: FeedVerifier | null;
  signal: AbortSignal;
  pause(ms: number): Promise<void>;
};

const PLAIN_TIMEOUT_MS = 10_000;
const PAGE_TIMEOUT_MS = 30_000;
/** How much longer a held request may take than the hold itself. */
const HOLD_GRACE_MS = 10_000;
const PAGE_ATTEMPTS_MAX = 4;
/**
 * The target size of a page. Parsing a page of this size blocks the event loop for about ten
 * milliseconds.
 */
const PAGE_BYTES_WANTED = 256 * 1024;
const PAGE_KEYS_FIRST = 1_000;
const PAGE_KEYS_MIN = 50;
export const PAGE_KEYS_MAX = 5_000;
/**
 * The maximum size of a response. It is far above PAGE_BYTES_WANTED, so that a page of
 * PAGE_KEYS_MIN keys of any size is accepted.
 */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/**
 * The maximum number of JSON values in one response. Parsing this many takes about ten megabytes of
 * memory.
 */
const ANSWER_VALUES_MAX = 400_000;
/**
 * The same limit for feeds that include `meta`. It is higher, because one key's `meta` alone may
 * contain more than 500,000 values.
 */
const META_VALUES_MAX = 600_000;
/**
 * The maximum time that a closing node waits for the control plane to unregister it, including
 * retries.
 */
const LEAVE_MS_MAX = 2_000;
const LEAVE_TRIES = 2;

/** A 304 response; distinct from a response with an empty body, which is invalid. */
const UNCHANGED = Symbol('unchanged');

/** A response, and its proof if proofs are stored. */
type Asked = { body: unknown; proof: Proof | null };
export type Proven<T> = T & { proof: Proof | null };

/** The options of a poll. A poll without the node's name acknowledges no version. */
type PollOptions = { holdMs: number; isNamed: boolean };

/** `isProven`: the query has a nonce. */
type AskOptions = { timeoutMs: number; isNamed: boolean; isProven?: boolean };

const NONCE_BYTES = 16;

/**
 * Returns a random value for one request. A response whose signature covers this value must have
 * been made for that request.
 */
const nonceOf = (chance: Chance): string =>
  Buffer.from(Array.from({ length: NONCE_BYTES }, () => Math.floor(chance() * 256))).toString(
    'base64url',
  );

export class Source {
  readonly #parts: SourceParts;
  readonly #query: string;
  readonly #node: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** The smallest page size that the node requests, in keys. */
  readonly #keysMin: number;
  readonly #valuesMax: number;
  #pageKeys = PAGE_KEYS_FIRST;
  #deltaKeys = PAGE_KEYS_MAX;
  /**
   * Whether a request with this node's ID has been sent, so the control plane may have registered
   * the node.
   */
  #isNamed = false;
  /** Whether the control plane signs its feed, and so supports the header with the node's name. */
  #isSigned: boolean;

  constructor(parts: SourceParts) {
    const { projectId, filter, nodeName, nodeId, sdk, pollMs } = parts;
    const hasMeta = filter.include.includes('meta');
    this.#keysMin = hasMeta ? 1 : PAGE_KEYS_MIN;
    this.#valuesMax = hasMeta ? META_VALUES_MAX : ANSWER_VALUES_MAX;
    this.#parts = parts;
    this.#isSigned = parts.verifier !== null;
    this.#query = feedQuery(projectId, filter);
    this.#node = `node=${encodeURIComponent(nodeId)}`;
    this.#headers = {
      [SDK_HEADER]: sdk,
      [NODE_NAME_HEADER]: nodeName,
      [NODE_POLL_HEADER]: String(longestSpread(pollMs)),
    };
  }

  /**
   * Requests the changes after a version. The response may be the first page of a snapshot; null if
   * nothing has changed.
   */
  async since(
    version: number,
    workspaceId: string,
    { holdMs, isNamed }: PollOptions,
  ): Promise<Proven<SnapshotPage | Delta> | null> {
    const most = this.#deltaKeys;
    const query = `since=${version}&max_keys=${most}&wait_ms=${holdMs}`;
    const timeoutMs = holdMs > 0 ? holdMs + HOLD_GRACE_MS : PLAIN_TIMEOUT_MS;
    const asked = await this.#ask('delta', query, { timeoutMs, isNamed }).catch(
      (error: unknown) => {
        // A lower limit makes the control plane send a snapshot in small pages instead of one large
        // delta.
        if (error instanceof Failed && error.isTooLarge) this.#deltaKeys = this.#keysMin;
        throw error;
      },
    );
    this.#deltaKeys = PAGE_KEYS_MAX;
    return asked.body === UNCHANGED ? null : this.#read(asked, workspaceId, most);
  }

  /**
   * Reports to the control plane that this node is alive, but has acknowledged only this version.
   */
  async stay(version: number): Promise<void> {
    const query = `since=${version}&max_keys=1&wait_ms=0`;
    await this.#ask('delta', query, { timeoutMs: PLAIN_TIMEOUT_MS, isNamed: true });
  }

  /**
   * Unregisters this node, so that revocations no longer wait for it. An abandoned request may
   * still arrive afterwards, but the control plane won't register a node again once it has left.
   * Never rejects.
   */
  async leave(version: number): Promise<void> {
    const { transport, clock } = this.#parts;
    if (!this.#isNamed) return;
    const query = `${this.#node}&since=${version}&max_keys=1&wait_ms=0&leave=true`;
    const path = `/v1/policy/delta?${this.#query}&${query}`;
    const headers = this.#headers;
    const until = clock.monotonicMs() + LEAVE_MS_MAX;
    for (let tried = 1; tried <= LEAVE_TRIES; tried += 1) {
      const timeoutMs = until - clock.monotonicMs();
      if (timeoutMs <= 0) return;
      const outcome = await transport.send({ method: 'GET', path, headers, timeoutMs });
      if (outcome.kind === 'answer' || outcome.hard) return;
    }
  }

  /** Loads one page. Pages after the first are retried before the whole snapshot is abandoned. */
  async page(cursor: string | null, workspaceId: string | null): Promise<Proven<SnapshotPage>> {
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

  async #pageOnce(
    cursor: string | null,
    workspaceId: string | null,
  ): Promise<Proven<SnapshotPage>> {
    const most = this.#pageKeys;
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    // Only the first page needs a nonce, because further pages must match its version and cursor.
    const nonce = cursor === null && this.#parts.verifier ? nonceOf(this.#parts.chance) : null;
    const query = `max_keys=${most}${from}${nonce === null ? '' : `&nonce=${nonce}`}`;
    const options = { timeoutMs: PAGE_TIMEOUT_MS, isNamed: true, isProven: nonce !== null };
    const asked = await this.#ask('snapshot', query, options).catch((error: unknown) => {
      if (error instanceof Failed && error.isTooLarge) this.#pageKeys = this.#keysMin;
      throw error;
    });
    const page = this.#read(asked, workspaceId, most);
    if (page.kind !== 'snapshot') throw new InvalidContent('the response is not a snapshot');
    return page;
  }

  async #ask(
    endpoint: 'snapshot' | 'delta',
    query: string,
    { timeoutMs, isNamed, isProven = false }: AskOptions,
  ): Promise<Asked> {
    const { transport, signal, verifier, nodeId, bases, projectId } = this.#parts;
    // The signature covers the query. If the node's name is in a header instead, all nodes can
    // share a signature.
    const isInHeader = isNamed && this.#isSigned;
    const name = isNamed && !isInHeader ? `${this.#node}&` : '';
    const path = `/v1/policy/${endpoint}?${this.#query}&${name}${query}`;
    const headers = isInHeader ? { ...this.#headers, [NODE_HEADER]: nodeId } : this.#headers;
    const bounds = { bytesMax: ANSWER_BYTES_MAX, valuesMax: this.#valuesMax };
    const sent = { path, headers, timeoutMs, signal, keepsRaw: verifier !== null };
    const outcome = await transport.send({ method: 'GET', ...sent, ...bounds });
    this.#isNamed ||= isNamed && !isUnsent(outcome);
    if (outcome.kind !== 'answer') {
      throw new Failed(outcome, remedyOf(outcome, { bases, projectId }));
    }
    this.#isSigned = verifier !== null || outcome.headers.has('signature-input');
    const received = { ...proofIn(outcome), target: path };
    const proof = (await verifier?.check(received, isProven)) ?? null;
    if (outcome.status === 304) return { body: UNCHANGED, proof };
    this.#weigh(outcome.body, outcome.bytes);
    return { body: outcome.body, proof };
  }

  /** Adjusts the number of keys per page to PAGE_BYTES_WANTED. */
  #weigh(body: unknown, bytes: number): void {
    const { keys } = fieldsOf(body);
    if (!Array.isArray(keys) || keys.length < this.#keysMin) return;
    const wanted = Math.floor((PAGE_BYTES_WANTED * keys.length) / bytes);
    this.#pageKeys = Math.min(PAGE_KEYS_MAX, Math.max(this.#keysMin, wanted));
  }

  #read(
    { body, proof }: Asked,
    workspaceId: string | null,
    entriesMax: number,
  ): Proven<SnapshotPage | Delta> {
    const { projectId, env, filter } = this.#parts;
    const tenantIds = filter.tenantIds.length > 0 ? new Set(filter.tenantIds) : null;
    const { include } = filter;
    const expected = { projectId, env, tenantIds, include, workspaceId, entriesMax };
    return Object.assign(readFeed(body, expected), { proof });
  }
}

const UNSENT: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Whether no connection was made, which means that nothing was sent. */
const isUnsent = (outcome: Outcome): boolean =>
  outcome.kind === 'unreachable' && UNSENT.has(outcome.code);

type Answered = { status: number; headers: Headers; raw?: Buffer | null };

const proofIn = ({ status, headers, raw }: Answered) => ({
  status,
  etag: headers.get('etag'),
  digest: headers.get('content-digest'),
  input: headers.get('signature-input'),
  signature: headers.get('signature'),
  bytes: raw ?? NO_BYTES,
});

const NO_BYTES = new Uint8Array();
