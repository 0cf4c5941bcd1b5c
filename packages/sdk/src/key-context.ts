// The request context as it is made for every request: a few words and references. Ids are written
// out when somebody reads them, because two uuids would cost a third of the whole decision.
import { inspect } from 'node:util';
import type { Env, RateLimitState, RequestContext } from './context.ts';
import { KEY_ID_AT } from './policy/rows.ts';
import type { Policy } from './policy/standing.ts';
import { idText } from './policy/words.ts';

/** What is known when a decision is made. */
export type Knowledge<R> = {
  /** The policy, null before the first one, and whether it may be out of date. */
  readonly standing: { readonly policy: Policy | null; readonly degraded: boolean };
  readonly projectId: string;
  readonly resources: { readonly live: R | null; readonly test: R | null };
  /** Milliseconds since the epoch; asked only when a key has an end. */
  now(): number;
};

const SHOWN_CHARS = 'kr_live_'.length + 6;
const ENV_AT = 'kr_'.length;
const L = 'l'.charCodeAt(0);
const NO_SCOPES: ReadonlySet<string> = new Set<string>();
const NO_WORDS = new Int32Array(0);

export const displayPrefixOf = (keyText: string): string => keyText.slice(0, SHOWN_CHARS);

export class KeyContext<R> implements RequestContext<R> {
  readonly #known: Knowledge<R>;
  /** Null without a record of the key. */
  readonly #policy: Policy | null;
  readonly #keyText: string;
  // Eight words of two ids, copied: their row may soon belong to another key.
  readonly #k0: number;
  readonly #k1: number;
  readonly #k2: number;
  readonly #k3: number;
  readonly #t0: number;
  readonly #t1: number;
  readonly #t2: number;
  readonly #t3: number;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number | null;
  readonly degraded: boolean;
  rateLimit: readonly RateLimitState[] | null = null;

  /** Of a well-formed key; -1 for a row says that there is no record of it. */
  constructor(known: Knowledge<R>, keyText: string, row: number) {
    const policy = row === -1 ? null : known.standing.policy;
    const words = policy === null ? NO_WORDS : policy.table.rows.wordsOf(row);
    const at = policy === null ? 0 : policy.table.rows.startOf(row) + KEY_ID_AT;
    this.#known = known;
    this.#policy = policy;
    this.#keyText = keyText;
    this.#k0 = words[at] ?? 0;
    this.#k1 = words[at + 1] ?? 0;
    this.#k2 = words[at + 2] ?? 0;
    this.#k3 = words[at + 3] ?? 0;
    this.#t0 = words[at + 4] ?? 0;
    this.#t1 = words[at + 5] ?? 0;
    this.#t2 = words[at + 6] ?? 0;
    this.#t3 = words[at + 7] ?? 0;
    this.scopes = policy === null ? NO_SCOPES : policy.table.scopes(row);
    this.expiresAt = policy === null ? null : policy.table.endOf(row);
    this.degraded = known.standing.degraded;
  }

  get keyId(): string | null {
    return this.verified ? idText([this.#k0, this.#k1, this.#k2, this.#k3]) : null;
  }

  get workspaceId(): string | null {
    return this.#policy?.workspaceId ?? null;
  }

  get projectId(): string {
    return this.#known.projectId;
  }

  get tenantId(): string | null {
    return this.verified ? idText([this.#t0, this.#t1, this.#t2, this.#t3]) : null;
  }

  get env(): Env {
    return this.#keyText.charCodeAt(ENV_AT) === L ? 'live' : 'test';
  }

  get displayPrefix(): string {
    return displayPrefixOf(this.#keyText);
  }

  get verified(): boolean {
    return this.#policy !== null;
  }

  get resources(): R | null {
    return this.#known.resources[this.env];
  }

  /** Everything but the vendor's resources, which are not ours to print. */
  toJSON(): Record<string, unknown> {
    const { keyId, workspaceId, projectId, tenantId, env, displayPrefix } = this;
    const { expiresAt, degraded, verified, rateLimit } = this;
    const ids = { keyId, workspaceId, projectId, tenantId, env, scopes: [...this.scopes] };
    return { ...ids, displayPrefix, expiresAt, degraded, verified, rateLimit };
  }

  [inspect.custom](): Record<string, unknown> {
    return this.toJSON();
  }
}
