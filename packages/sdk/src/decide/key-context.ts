// The request context that every decision creates. It holds a few numbers and references and
// allocates nothing else. Ids become text only when they are read: formatting two UUIDs would cost
// a third of the whole decision.
import { inspect } from 'node:util';
import type { Env, RateLimitRule, RateLimitState, RequestContext } from '../api/context.ts';
import type { Policy } from '../policy/state.ts';
import { ID_WORDS, idText } from '../policy/table/digest.ts';
import { EXPIRY_AT, expiryOf, NEVER, ROW_AT } from '../policy/table/shard.ts';
import { NO_TERMS, type Terms } from '../policy/table/table.ts';

/** The inputs of a decision. */
export type Knowledge<R> = {
  /** The policy, null before the first one, and whether it may be out of date. */
  readonly standing: { readonly policy: Policy | null; readonly degraded: boolean };
  readonly projectId: string;
  readonly resources: { readonly live: R | null; readonly test: R | null };
  /** Milliseconds since the epoch; called only for keys that expire. */
  now(): number;
};

const SHOWN_CHARS = 'kr_live_'.length + 6;
const ENV_AT = 'kr_'.length;
const L = 'l'.charCodeAt(0);
const NOTHING = new Int32Array(0);

export const displayPrefixOf = (keyText: string): string => keyText.slice(0, SHOWN_CHARS);

export class KeyContext<R> implements RequestContext<R> {
  readonly #known: Knowledge<R>;
  readonly #keyText: string;
  /** Both ids as words, and their offset. The words never change, even if the key is removed. */
  readonly #ids: Int32Array;
  readonly #idsAt: number;
  readonly #terms: Terms;
  /** Two words, because V8 would allocate a heap object for a number as large as a timestamp. */
  readonly #expiryHigh: number;
  readonly #expiryLow: number;
  readonly degraded: boolean;
  rateLimit: readonly RateLimitState[] | null = null;

  /** `keyText` is well-formed. A `place` of -1 means that there is no policy record of it. */
  constructor(known: Knowledge<R>, keyText: string, place: number) {
    const { policy, degraded } = known.standing;
    this.#known = known;
    this.#keyText = keyText;
    this.degraded = degraded;
    if (policy === null || place === -1) {
      this.#ids = NOTHING;
      this.#idsAt = 0;
      this.#terms = NO_TERMS;
      this.#expiryHigh = NEVER;
      this.#expiryLow = 0;
      return;
    }
    const { table } = policy;
    const words = table.wordsOf(place);
    const start = table.startOf(place);
    const row = (words[start + ROW_AT] ?? 0) - 1;
    this.#ids = table.ids.wordsOf(row);
    this.#idsAt = table.ids.startOf(row);
    this.#terms = table.termsIn(words, start);
    this.#expiryHigh = words[start + EXPIRY_AT] ?? 0;
    this.#expiryLow = words[start + EXPIRY_AT + 1] ?? 0;
  }

  /** The rate limits to charge. Static, so that they are not a field of the public context. */
  static limitsOf(context: KeyContext<unknown>): readonly RateLimitRule[] {
    return context.#terms.limits;
  }

  get keyId(): string | null {
    return this.verified ? idText(this.#ids, this.#idsAt) : null;
  }

  /** The current policy can be used: a project never moves to another workspace. */
  get workspaceId(): string | null {
    return this.verified ? (this.#known.standing.policy?.workspaceId ?? null) : null;
  }

  get projectId(): string {
    return this.#known.projectId;
  }

  get tenantId(): string | null {
    return this.verified ? idText(this.#ids, this.#idsAt + ID_WORDS) : null;
  }

  get scopes(): ReadonlySet<string> {
    return this.#terms.scopes;
  }

  get expiresAt(): number | null {
    const at = expiryOf(this.#expiryHigh, this.#expiryLow);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  get env(): Env {
    return this.#keyText.charCodeAt(ENV_AT) === L ? 'live' : 'test';
  }

  get displayPrefix(): string {
    return displayPrefixOf(this.#keyText);
  }

  get verified(): boolean {
    return this.#ids !== NOTHING;
  }

  get resources(): R | null {
    return this.#known.resources[this.env];
  }

  /** All fields except the vendor's resources, which may hold secrets. */
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
