// Which scopes a new key may have: any that the vendor likes, and on the embed plane those that
// the token grants. Asked wherever a key is made, a successor included.
import { ApiError } from '../../base/errors.ts';
import type { Reach } from '../../doors/reach.ts';

export function refuseUngranted({ keyScopes }: Reach, wanted: readonly string[]): void {
  if (keyScopes === undefined) return;
  const missingScopes = [...new Set(wanted)].filter((scope) => !keyScopes.includes(scope));
  if (missingScopes.length > 0) {
    throw new ApiError('insufficient_scope', undefined, { missingScopes });
  }
}
