// The decision to allow a key, stored as a few numbers and references. The context is created only
// when it is read, because formatting its two UUIDs would cost a third of the whole decision
// (`npm run bench -- sdk`).
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

/** What a decision depends on. */
export type Inputs<R> = {
  /** The policy (null before the first one is loaded), and `look`, which reads the clocks. */
  readonly state: { readonly policy: Policy | null; look(): Look };
  readonly projectId: string;
  readonly resources: { readonly live: R | null; readonly test: R | null };
  /** The node's `verify`, which identifies the node that created a context. */
  readonly verify: unknown;
};

const ENV_AT = 'kr_'.length;
const L = 'l'.charCodeAt(0);
const NONE: readonly string[] = Object.freeze([]);

/** A key found in the policy, and the clock readings at that moment. */
export type FoundKey<R> = {
  readonly inputs: Inputs<R>;
  readonly policy: Policy;
  readonly keyText: string;
  readonly isImported: boolean;
  /**
   * The array that contains the key's two IDs, and the offset at which they start. The IDs never
   * change, even if the key is removed.
   */
  readonly ids: Int32Array;
  readonly idsAt: number;
  readonly terms: Terms;
  /** The expiry in two words, because V8 would allocate a heap object for a number this large. */
  readonly expiryHigh: number;
  readonly expiryLow: number;
  readonly isExpired: boolean;
  /** Whether the policy is too old to be used. */
  readonly isTooOld: boolean;
  readonly degraded: boolean;
  readonly extra: Extra | undefined;
};

/** `keyText` is the full key; `place` is the position of its record in the policy's table. */
export function foundAt<R>(inputs: Inputs<R>, keyText: string, place: number): FoundKey<R> {
  const { policy } = inputs.state;
  if (policy === null) throw new TypeError('bug: found a key without a policy');
  // A decision on a known key reads the clocks only here.
  const { nowMs, degraded, tooOld } = inputs.state.look();
  const { table } = policy;
  const words = table.wordsOf(place);
  const start = table.startOf(place);
  const link = words[start + LINK_AT] ?? 0;
  const ids = table.ids.of(link);
  const row = rowOf(link);
  const expiryHigh = words[start + EXPIRY_AT] ?? 0;
  const expiryLow = words[start + EXPIRY_AT + 1] ?? 0;
  return {
    inputs,
    policy,
    keyText,
    isImported: isImported(link),
    ids: ids.wordsOf(row),
    idsAt: ids.startOf(row),
    terms: table.termsIn(words, start),
    expiryHigh,
    expiryLow,
    isExpired: expiryHigh !== NEVER && expiryOf(expiryHigh, expiryLow) <= nowMs,
    isTooOld: tooOld,
    degraded,
    extra: table.extraOf(link),
  };
}

export class AllowedKey<R> implements Allowed<RequestContext<R>> {
  readonly allowed = true;
  /**
   * A single private field, because creating a dozen of them would make a decision 3% slower in
   * V8.
   */
  readonly #key: FoundKey<R>;
  #context: RequestContext<R> | null = null;

  constructor(key: FoundKey<R>) {
    this.#key = key;
  }

  get limits(): readonly RateLimitRule[] {
    return this.#key.terms.limits;
  }

  get context(): RequestContext<R> {
    this.#context ??= this.#createContext();
    return this.#context;
  }

  get env(): Env {
    const { isImported, ids, idsAt, keyText } = this.#key;
    return isImported ? importedEnv(ids, idsAt + IDS_WORDS) : envOf(keyText);
  }

  /** Returns the required scopes that the key lacks. */
  missing(wanted: readonly string[]): readonly string[] {
    const { scopes } = this.#key.terms;
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
    const { inputs, ids, idsAt, keyText, terms, expiryHigh, expiryLow, extra } = this.#key;
    const { projectId, resources, verify } = inputs;
    const { env } = this;
    const context = new VerifiedKey(
      {
        keyId: idText(ids, idsAt),
        workspaceId: this.#key.policy.workspaceId,
        projectId,
        tenantId: idText(ids, idsAt + ID_WORDS),
        env,
        scopes: terms.scopes,
        displayPrefix: this.#key.isImported
          ? importedPrefix(ids, idsAt + IDS_WORDS)
          : displayPrefixOf(keyText),
        expiresAt: expiryHigh === NEVER ? null : expiryOf(expiryHigh, expiryLow),
        degraded: this.#key.degraded,
        resources: resources[env],
      },
      verify,
    );
    return extra ? withExtra(context, extra) : context;
  }
}

const envOf = (keyText: string): Env => (keyText.charCodeAt(ENV_AT) === L ? 'live' : 'test');
