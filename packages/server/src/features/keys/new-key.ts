// A new API key: its row, and the secret that is shown once.
import { ApiError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Reach } from '../../doors/reach.ts';
import { type Minting, newCredential } from '../credentials/new-credential.ts';
import type { KeyRow, NewKey } from './rows.ts';

export type WantedKey = Pick<
  KeyRow,
  'projectId' | 'tenantId' | 'env' | 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt'
> & { rotatedFrom?: string };

export function newKey(
  tx: Minting & { reach: Reach },
  wanted: WantedKey,
): { values: NewKey; secret: Secret } {
  const { projectId, tenantId, name, scopes, meta, rateLimits } = wanted;
  refuseUngranted(tx.reach, scopes);
  const { columns, secret } = newCredential('api_key', wanted, tx);
  return { values: { ...columns, projectId, tenantId, name, scopes, meta, rateLimits }, secret };
}

/**
 * A vendor may give a key any scopes; with an embed token, only those that the token grants are
 * allowed. This applies to every new key, including one created by a rotation.
 */
function refuseUngranted({ keyScopes }: Reach, wanted: readonly string[]): void {
  if (keyScopes === undefined) return;
  const missingScopes = [...new Set(wanted)].filter((scope) => !keyScopes.includes(scope));
  if (missingScopes.length > 0) {
    throw new ApiError('insufficient_scope', undefined, { missingScopes });
  }
}
