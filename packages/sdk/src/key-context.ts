// The request context as it is made for every request: a few words and references. Ids are written
// out when somebody reads them, because two uuids would cost a third of the whole decision.
import { inspect } from 'node:util';
import type { Env, RateLimitState, RequestContext } from './context.ts';
import type { Policy } from './policy/standing.ts';
import { ID_WORDS, idText } from './policy/words.ts';

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
  /** Both ids, and where they begin. The words never change, whatever becomes of the key. */
  readonly #ids: Int32Array;
  readonly #idsAt: number;
  /** Written out on first use, and used again: by the handler, and by telemetry after it. */
  #keyId: string | null = null;
  #tenantId: string | null = null;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number | null;
  readonly degraded: boolean;
  rateLimit: readonly RateLimitState[] | null = null;

  /** Of a well-formed key; -1 for a place says that there is no record of it. */
  constructor(known: Knowledge<R>, keyText: string, place: number) {
    const { standing } = known;
    const policy = place === -1 ? null : standing.policy;
    this.#known = known;
    this.#policy = policy;
    this.#keyText = keyText;
    this.degraded = standing.degraded;
    if (policy === null) {
      this.#ids = NO_WORDS;
      this.#idsAt = 0;
      this.scopes = NO_SCOPES;
      this.expiresAt = null;
      return;
    }
    const { table } = policy;
    const row = table.rowOf(place);
    const expiresAt = table.expiresAt(place);
    this.#ids = table.ids.wordsOf(row);
    this.#idsAt = table.ids.startOf(row);
    this.scopes = table.terms(place).scopes;
    this.expiresAt = expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt;
  }

  get keyId(): string | null {
    if (this.verified) this.#keyId ??= idText(this.#ids, this.#idsAt);
    return this.#keyId;
  }

  get workspaceId(): string | null {
    return this.#policy?.workspaceId ?? null;
  }

  get projectId(): string {
    return this.#known.projectId;
  }

  get tenantId(): string | null {
    if (this.verified) this.#tenantId ??= idText(this.#ids, this.#idsAt + ID_WORDS);
    return this.#tenantId;
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
