// A secret key acts with the authority of whoever minted it, in the environments of its own.

import { lookupHash, parseCredential } from '@keyrail/protocol/key-format.ts';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Gate, SecretKeyFact } from '../doors/gate.ts';
import { gathered } from '../doors/gathered.ts';
import { envsOf } from './boundary.ts';
import type { ReadKey } from './hot-cache.ts';
import type { Principal } from './principal.ts';

type Parts = { gate: Pick<Gate, 'findSecretKeys' | 'noteUse'>; log: Log };

/** Throws the refusal of a key that is not active. */
export type ReadSecretKey = (token: string) => Promise<ReadKey>;

/** A key that was found active, and the noting of its use if that is due. */
type Found = { key: ReadKey; noting: Promise<void> | null };

/** Reads a key anew on every request, so that a revocation holds from the next one on. */
export function openSecretKeys({ gate, log }: Parts): ReadSecretKey {
  const noteUse = (fact: SecretKeyFact): Promise<void> =>
    gate.noteUse(fact).catch((error) => log.warn({ error }, 'a key use was not noted'));

  /** The active ones of these keys. */
  async function findAll(tokens: string[]): Promise<Map<string, Found>> {
    const hashes = tokens.map(lookupHash);
    const facts = await gate.findSecretKeys(hashes);
    const found = new Map<string, Found>();
    for (const [at, token] of tokens.entries()) {
      const fact = facts.get(hashes[at] ?? '');
      if (!fact?.active) continue;
      const { id, expiresInMs, useIsStale } = fact;
      const key = { id, principal: principalOf(fact), expiresInMs };
      found.set(token, { key, noting: useIsStale ? noteUse(fact) : null });
    }
    return found;
  }

  const findTogether = gathered(findAll);
  return async (token) => {
    // A mistyped key fails its checksum: refused without a look-up, with the very same answer.
    const found = parseCredential(token) ? await findTogether(token) : null;
    if (!found) throw new ApiError('invalid_key');
    // Awaited by who used the key, and by nobody whose look-up merely went along.
    if (found.noting !== null) await found.noting;
    return found.key;
  };
}

const principalOf = ({ id, workspaceId, env, authority }: SecretKeyFact): Principal => ({
  kind: 'secret_key',
  env,
  reach: { workspaceId, envs: envsOf(env), actor: { type: 'secret_key', id }, authority },
});
