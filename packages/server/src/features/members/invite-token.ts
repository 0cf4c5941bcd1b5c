// An invitation token: the workspace ID, a dot, and a secret. The whole token is hashed.

import { mintOneTimeToken } from '@keyrail/protocol/wire/key-format.ts';
import type { RandomBytes } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { hashOfToken } from '../accounts/one-time-token.ts';

export function newInviteToken(
  workspaceId: string,
  randomBytes: RandomBytes,
): { token: Secret; hash: Buffer } {
  const whole = `${workspaceId}.${mintOneTimeToken(randomBytes).token}`;
  return { token: new Secret(whole), hash: hashOfToken(whole) };
}

/** Returns the workspace ID in the token; null if the token is malformed. */
export function workspaceNamedBy(token: string): string | null {
  const named = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token);
  return named?.[1] ?? null;
}
