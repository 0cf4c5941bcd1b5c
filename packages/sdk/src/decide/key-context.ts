// The two kinds of context. All fields are own properties, so that copying or spreading a context
// keeps them.
import { inspect } from 'node:util';
import { SHOWN_KEY_CHARS } from '@keyrail/protocol/wire/key-format.ts';
import type {
  Env,
  KeyMeta,
  RateLimitState,
  RequestContext,
  UnverifiedContext,
} from '../api/context.ts';
import { type Extra, NO_TERMS } from '../policy/table/table.ts';
import { VERIFIED_BY } from '../verified-by.ts';

export const displayPrefixOf = (keyText: string): string => keyText.slice(0, SHOWN_KEY_CHARS);

export class VerifiedKey<R> implements RequestContext<R> {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly tenantId: string;
  readonly env: Env;
  readonly scopes: ReadonlySet<string>;
  readonly displayPrefix: string;
  readonly expiresAt: number | null;
  readonly degraded: boolean;
  readonly verified = true;
  rateLimit: readonly RateLimitState[] | null = null;
  readonly resources: R | null;
  /** Declared without a value, so that the property exists only if the node requested the field. */
  declare tenantExternalId?: string;
  readonly #verifiedBy: unknown;

  constructor(key: Omit<RequestContext<R>, 'verified' | 'rateLimit'>, verifiedBy: unknown) {
    this.#verifiedBy = verifiedBy;
    this.keyId = key.keyId;
    this.workspaceId = key.workspaceId;
    this.projectId = key.projectId;
    this.tenantId = key.tenantId;
    this.env = key.env;
    this.scopes = key.scopes;
    this.displayPrefix = key.displayPrefix;
    this.expiresAt = key.expiresAt;
    this.degraded = key.degraded;
    this.resources = key.resources;
  }

  /**
   * A getter on the prototype, so that copies of a context, which may have been modified, lack it.
   */
  get [VERIFIED_BY](): unknown {
    return this.#verifiedBy;
  }

  toJSON(): object {
    return shown(this);
  }

  [inspect.custom](): object {
    return shown(this);
  }
}

/** Adds the fields the node requested as own properties, so that a copy has them too. */
export function withExtra<R>(context: VerifiedKey<R>, extra: Extra): RequestContext<R> {
  const { meta, tenantExternalId } = extra;
  if (tenantExternalId !== undefined) context.tenantExternalId = tenantExternalId;
  if (meta !== undefined) {
    let parsed: KeyMeta | undefined;
    const get = (): KeyMeta => {
      const read: KeyMeta = parsed ?? frozen(JSON.parse(meta));
      parsed = read;
      return read;
    };
    Object.defineProperty(context, 'meta', { get, enumerable: true });
  }
  return context;
}

/**
 * Freezes a parsed JSON value and everything in it. Not recursive, because the value may be deeply
 * nested.
 */
function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    for (const inner of Object.values(Object.freeze(one))) open.push(inner);
  }
  return value;
}

type KnownWithoutPolicy = 'projectId' | 'env' | 'displayPrefix' | 'degraded' | 'resources';

export class UnverifiedKey<R> implements UnverifiedContext<R> {
  readonly keyId = null;
  readonly workspaceId = null;
  readonly projectId: string;
  readonly tenantId = null;
  readonly env: Env;
  readonly scopes: ReadonlySet<string> = NO_TERMS.scopes;
  readonly displayPrefix: string;
  readonly expiresAt = null;
  readonly degraded: boolean;
  readonly verified = false;
  rateLimit: readonly RateLimitState[] | null = null;
  readonly resources: R | null;

  constructor(key: Pick<UnverifiedContext<R>, KnownWithoutPolicy>) {
    this.projectId = key.projectId;
    this.env = key.env;
    this.displayPrefix = key.displayPrefix;
    this.degraded = key.degraded;
    this.resources = key.resources;
  }

  toJSON(): object {
    return shown(this);
  }

  [inspect.custom](): object {
    return shown(this);
  }
}

/** Returns all fields except the vendor's resources, which may contain secrets. */
function shown({ resources: _, ...fields }: RequestContext | UnverifiedContext): object {
  return { ...fields, scopes: [...fields.scopes] };
}
