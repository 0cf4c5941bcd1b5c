// Checks the scopes of a new key. Vendors may use any scope; embed tokens only those they grant.
// Applies to every created key, including the successor of a rotation.
import { ApiError } from '../../base/errors.ts';
import type { Reach } from '../../doors/reach.ts';

export function refuseUngranted({ keyScopes }: Reach, wanted: readonly string[]): void {
  if (keyScopes === undefined) return;
  const missingScopes = [...new Set(wanted)].filter((scope) => !keyScopes.includes(scope));
  if (missingScopes.length > 0) {
    throw new ApiError('insufficient_scope', undefined, { missingScopes });
  }
}
