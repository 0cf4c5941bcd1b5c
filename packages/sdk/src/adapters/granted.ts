// What handlers are given.
import type { Admitted } from '../admit.ts';
import type { RequestContext } from '../context.ts';

/**
 * The key behind the request. It is null only where a route skips verification; a handler of such
 * a route has nothing to ask it, so that the types spare all others the question.
 */
export const contextOf = <R>({ context }: Admitted<R>): RequestContext<R> =>
  context as RequestContext<R>;
