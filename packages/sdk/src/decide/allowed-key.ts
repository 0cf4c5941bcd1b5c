// The decision to allow a key. It holds a few numbers and references and allocates nothing else.
// bench sdk: the context is created when it is read; formatting its two UUIDs would cost a third of
// the whole decision.
import { inspect } from 'node:util';
import type { Env, RateLimitRule, RequestContext } from '../api/context.ts';
import type { Allowed } from '../api/decision.ts';
import type { Look, Policy } from '../policy/state.ts';
import { ID_WORDS, idText } from '../policy/table/digest.ts';
import { IDS_WORDS } from '../policy/table/ids.ts';
import { importedEnv, importedPrefix } from '../policy/table/imported.ts';
import { isImported, rowOf } from '../policy/table/linked-ids.ts';
import { EXPIRY_AT, expiryOf, LINK_AT, NEVER } from '../policy/table/shard.ts';
import type { Extra, Terms } from '../policy/table/table.ts';
import { displayPrefixOf, VerifiedKey, withExtra } from './key-context.ts';

/** The inputs of a decision. */
export type Inputs<R> = {
  /** The policy, null before the first one, and what the clocks say, read at each look. */
  readonly state: { readonly policy: Policy | null; look(): Look };
  readonly projectId: string;
  readonly resources: { readonly live: R | null; readonly test: R | null };
  /** The node's `verify`, which identifies the node of a context. */
  readonly verify: unknown;
};

const ENV_AT = 'kr_'.length;
const L = 'l'.charCodeAt(0);
const NONE: readonly string[] = Object.freeze([]);

export class AllowedKey<R> implements Allowed<RequestContext<R>> {
  readonly allowed = true;
  readonly #inputs: Inputs<R>;
  readonly #policy: Policy;
  readonly #keyText: string;
  readonly isImported: boolean;
  readonly isExpired: boolean;
  /** Whether the policy is too old to decide. */
  readonly isTooOld: boolean;
  /** Both ids as words, and their offset. The words never change, even if the key is removed. */
  readonly #ids: Int32Array;
  readonly #idsAt: number;
  readonly #terms: Terms;
  /** Two words, because V8 would allocate a heap object for a number as large as a timestamp. */
  readonly #expiryHigh: number;
  readonly #expiryLow: number;
  readonly #degraded: boolean;
  readonly #extra: Extra | undefined;
  #context: RequestContext<R> | null = null;

  /** `keyText` is that of the key, and `place` is that of its record in the policy's table. */
  constructor(inputs: Inputs<R>, keyText: string, place: number) {
    const { policy } = inputs.state;
    if (policy === null) throw new TypeError('a key is allowed only by a policy');
    // The only look of a decision on a known key.
    const { nowMs, degraded, tooOld } = inputs.state.look();
    const { table } = policy;
    const words = table.wordsOf(place);
    const start = table.startOf(place);
    const link = words[start + LINK_AT] ?? 0;
    const ids = table.ids.of(link);
    const row = rowOf(link);
    this.#inputs = inputs;
    this.#policy = policy;
    this.#keyText = keyText;
    this.isImported = isImported(link);
    this.#ids = ids.wordsOf(row);
    this.#idsAt = ids.startOf(row);
    this.#terms = table.termsIn(words, start);
    this.#expiryHigh = words[start + EXPIRY_AT] ?? 0;
    this.#expiryLow = words[start + EXPIRY_AT + 1] ?? 0;
    this.isExpired =
      this.#expiryHigh !== NEVER && expiryOf(this.#expiryHigh, this.#expiryLow) <= nowMs;
    this.isTooOld = tooOld;
    this.#degraded = degraded;
    this.#extra = table.extraOf(link);
  }

  get limits(): readonly RateLimitRule[] {
    return this.#terms.limits;
  }

  get context(): RequestContext<R> {
    this.#context ??= this.#createContext();
    return this.#context;
  }

  get env(): Env {
    return this.isImported ? importedEnv(this.#ids, this.#idsAt + IDS_WORDS) : envOf(this.#keyText);
  }

  /** The scopes that the key lacks. */
  missing(wanted: readonly string[]): readonly string[] {
    const { scopes } = this.#terms;
    for (const scope of wanted) {
      if (!scopes.has(scope)) return wanted.filter((each) => !scopes.has(each));
    }
    return NONE;
  }

  toJSON(): object {
    return { allowed: true, context: this.context, limits: this.limits };
  }

  [inspect.custom](): object {
    return this.toJSON();
  }

  #createContext(): RequestContext<R> {
    const { projectId, resources, verify } = this.#inputs;
    const { env } = this;
    const isLasting = this.#expiryHigh === NEVER;
    const context = new VerifiedKey(
      {
        keyId: idText(this.#ids, this.#idsAt),
        workspaceId: this.#policy.workspaceId,
        projectId,
        tenantId: idText(this.#ids, this.#idsAt + ID_WORDS),
        env,
        scopes: this.#terms.scopes,
        displayPrefix: this.isImported
          ? importedPrefix(this.#ids, this.#idsAt + IDS_WORDS)
          : displayPrefixOf(this.#keyText),
        expiresAt: isLasting ? null : expiryOf(this.#expiryHigh, this.#expiryLow),
        degraded: this.#degraded,
        resources: resources[env],
      },
      verify,
    );
    return this.#extra ? withExtra(context, this.#extra) : context;
  }
}

const envOf = (keyText: string): Env => (keyText.charCodeAt(ENV_AT) === L ? 'live' : 'test');
