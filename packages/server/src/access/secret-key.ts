// A secret key acts with the authority of whoever minted it, in the environments of its own.

import { lookupHash, parseCredential } from '@keyrail/protocol/key-format.ts';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Gate, SecretKeyFact } from '../doors/gate.ts';
import { envsOf } from './boundary.ts';
import type { Principal } from './principal.ts';

export type SecretKeyParts = { gate: Gate; log: Log };

/** Reads the key anew on every request, so that a revocation holds from the next one on. */
export async function secretKeyPrincipal(
  { gate, log }: SecretKeyParts,
  token: string,
): Promise<Principal> {
  // A mistyped key fails its checksum: refused without a look-up, with the very same answer.
  const fact = parseCredential(token) ? await gate.findSecretKey(lookupHash(token)) : null;
  if (!fact?.active) throw new ApiError('invalid_key');
  if (fact.useIsStale) {
    await gate.noteUse(fact).catch((error) => log.warn({ error }, 'a key use was not noted'));
  }
  return principalOf(fact);
}

const principalOf = ({ id, workspaceId, env, authority }: SecretKeyFact): Principal => ({
  kind: 'secret_key',
  env,
  reach: { workspaceId, envs: envsOf(env), actor: { type: 'secret_key', id }, authority },
});
