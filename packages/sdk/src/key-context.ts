// The request context as it is made for every request. Ids stay numbers until somebody reads them,
// because writing out two uuids would cost a third of the whole decision.
import { inspect } from 'node:util';
import type { Env, RateLimitState, RequestContext } from './context.ts';
import { idText } from './policy/words.ts';

/** What a decision knows of the key's holder; ids as words, null without a policy record. */
export type Holder = {
  readonly words: Int32Array;
  /** Where the key's id begins among the words, and behind it the tenant's. */
  readonly at: number;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number | null;
};

/** What it knows of the request. */
export type Presented<R> = {
  readonly keyText: string;
  readonly env: Env;
  readonly projectId: string;
  readonly degraded: boolean;
  readonly resources: R | null;
};

const SHOWN_CHARS = 'kr_live_'.length + 6;
const NO_SCOPES: ReadonlySet<string> = new Set<string>();
const NO_WORDS = new Int32Array(8);

export const displayPrefixOf = (keyText: string): string => keyText.slice(0, SHOWN_CHARS);

export class KeyContext<R> implements RequestContext<R> {
  // Eight words of two ids, copied: their row may soon belong to another key.
  readonly #k0: number;
  readonly #k1: number;
  readonly #k2: number;
  readonly #k3: number;
  readonly #t0: number;
  readonly #t1: number;
  readonly #t2: number;
  readonly #t3: number;
  readonly #keyText: string;
  readonly workspaceId: string | null;
  readonly projectId: string;
  readonly env: Env;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number | null;
  readonly degraded: boolean;
  readonly verified: boolean;
  rateLimit: readonly RateLimitState[] | null = null;
  readonly resources: R | null;

  constructor(presented: Presented<R>, holder: Holder | null) {
    const words = holder === null ? NO_WORDS : holder.words;
    const at = holder === null ? 0 : holder.at;
    this.#k0 = words[at] ?? 0;
    this.#k1 = words[at + 1] ?? 0;
    this.#k2 = words[at + 2] ?? 0;
    this.#k3 = words[at + 3] ?? 0;
    this.#t0 = words[at + 4] ?? 0;
    this.#t1 = words[at + 5] ?? 0;
    this.#t2 = words[at + 6] ?? 0;
    this.#t3 = words[at + 7] ?? 0;
    this.#keyText = presented.keyText;
    this.workspaceId = holder === null ? null : holder.workspaceId;
    this.projectId = presented.projectId;
    this.env = presented.env;
    this.scopes = holder === null ? NO_SCOPES : holder.scopes;
    this.expiresAt = holder === null ? null : holder.expiresAt;
    this.degraded = presented.degraded;
    this.verified = holder !== null;
    this.resources = presented.resources;
  }

  get keyId(): string | null {
    return this.verified ? idText([this.#k0, this.#k1, this.#k2, this.#k3]) : null;
  }

  get tenantId(): string | null {
    return this.verified ? idText([this.#t0, this.#t1, this.#t2, this.#t3]) : null;
  }

  get displayPrefix(): string {
    return displayPrefixOf(this.#keyText);
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
