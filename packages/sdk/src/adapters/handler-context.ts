// The context that handlers receive.
import { inspect } from 'node:util';
import type { Env, RateLimitState, RequestContext } from '../api/context.ts';
import type { Admitted } from '../request/admit.ts';

/**
 * A context with own properties. The decision's context computes its ids in getters, and a handler
 * that copies or spreads it would lose them.
 */
class Granted<R> implements RequestContext<R> {
  readonly keyId: string | null;
  readonly workspaceId: string | null;
  readonly projectId: string;
  readonly tenantId: string | null;
  readonly env: Env;
  readonly scopes: ReadonlySet<string>;
  readonly displayPrefix: string;
  readonly expiresAt: number | null;
  readonly degraded: boolean;
  readonly verified: boolean;
  rateLimit: readonly RateLimitState[] | null;
  readonly resources: R | null;

  constructor(context: RequestContext<R>) {
    this.keyId = context.keyId;
    this.workspaceId = context.workspaceId;
    this.projectId = context.projectId;
    this.tenantId = context.tenantId;
    this.env = context.env;
    this.scopes = context.scopes;
    this.displayPrefix = context.displayPrefix;
    this.expiresAt = context.expiresAt;
    this.degraded = context.degraded;
    this.verified = context.verified;
    this.rateLimit = context.rateLimit;
    this.resources = context.resources;
  }

  /** All fields except the vendor's resources, which may hold secrets. */
  toJSON(): Record<string, unknown> {
    const { resources: _, ...shown } = this;
    return { ...shown, scopes: [...this.scopes] };
  }

  [inspect.custom](): Record<string, unknown> {
    return this.toJSON();
  }
}

/**
 * The key behind the request. Null only on routes with `skip`. The type omits null so that other
 * handlers need no check.
 */
export const contextOf = <R>({ context }: Admitted<R>): RequestContext<R> =>
  context === null ? (context as never) : new Granted(context);
