// What handlers are given.
import { inspect } from 'node:util';
import type { Admitted } from '../admit.ts';
import type { Env, RateLimitState, RequestContext } from '../context.ts';

/**
 * The fields of a context, each its own: a decision writes its ids out only when they are asked
 * for, and a handler that copies what it was given must not lose its tenant on the way.
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

  /** Everything but the vendor's resources, which are not ours to print. */
  toJSON(): Record<string, unknown> {
    const { resources: _, ...told } = this;
    return { ...told, scopes: [...this.scopes] };
  }

  [inspect.custom](): Record<string, unknown> {
    return this.toJSON();
  }
}

/**
 * The key behind the request. It is null only where a route skips verification; a handler of such
 * a route has nothing to ask it, so that the types spare all others the question.
 */
export const contextOf = <R>({ context }: Admitted<R>): RequestContext<R> =>
  context === null ? (context as never) : new Granted(context);
