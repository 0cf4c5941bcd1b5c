// Returns the typed request context, for frameworks that cannot pass its type to handlers.
import type { RequestContext } from '../api/context.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { fieldsOf } from '../json.ts';
import { VERIFIED_BY } from '../verified-by.ts';

/**
 * Returns the context of a request that `protect` allowed with this node, typed with the node's
 * resources. Throws a TypeError on a route without `protect`, for a different node, and for an
 * unverified key. On a route with `onNoPolicy: 'allow'` or `skip`, read the `keyrail` field
 * directly instead.
 */
export function contextOf<R>(
  { verify }: Pick<Keyrail<R>, 'verify'>,
  request: object,
): RequestContext<R> {
  const { keyrail: context } = fieldsOf(request);
  if (isVerified<R>(context, verify)) return context;
  throw new TypeError('contextOf(): this request was not verified by protect() with this node');
}

const isVerified = <R>(context: unknown, verify: unknown): context is RequestContext<R> =>
  typeof context === 'object' && context !== null && Reflect.get(context, VERIFIED_BY) === verify;
