// Reads the context in a handler whose framework cannot pass on its type.
import type { RequestContext } from '../api/context.ts';
import type { Keyrail } from '../api/keyrail.ts';
import { fieldsOf } from '../json.ts';

/**
 * The verified key behind a request that `protect` admitted, with the type of the node's resources.
 * Throws a TypeError on a route without `protect`, and for a key that was not verified: on a route
 * with `onNoPolicy: 'allow'` or `skip`, read the `keyrail` field itself.
 */
export function contextOf<R>(
  _keyrail: Pick<Keyrail<R>, 'verify'>,
  request: object,
): RequestContext<R> {
  const { keyrail: context } = fieldsOf(request);
  if (isVerified<R>(context)) return context;
  throw new TypeError('contextOf(): protect() has not verified the key of this request');
}

const isVerified = <R>(context: unknown): context is RequestContext<R> =>
  fieldsOf(context).verified === true;
