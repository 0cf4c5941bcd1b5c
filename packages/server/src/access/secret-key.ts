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

/** Reads a key anew on every request, so that a revocation holds from the next one on. */
export function openSecretKeys({ gate, log }: Parts): ReadSecretKey {
  async function noteUse(fact: SecretKeyFact): Promise<void> {
    if (!fact.useIsStale) return;
    await gate.noteUse(fact).catch((error) => log.warn({ error }, 'a key use was not noted'));
  }

  /** The active ones of these keys, each noted as used. */
  async function readAll(tokens: string[]): Promise<Map<string, ReadKey>> {
    const hashes = tokens.map(lookupHash);
    const facts = await gate.findSecretKeys(hashes);
    const keys = new Map<string, ReadKey>();
    const uses: Promise<void>[] = [];
    for (const [at, token] of tokens.entries()) {
      const fact = facts.get(hashes[at] ?? '');
      if (!fact?.active) continue;
      uses.push(noteUse(fact));
      keys.set(token, { id: fact.id, principal: principalOf(fact), expiresInMs: fact.expiresInMs });
    }
    await Promise.all(uses);
    return keys;
  }

  const readTogether = gathered(readAll);
  return async (token) => {
    // A mistyped key fails its checksum: refused without a look-up, with the very same answer.
    const key = parseCredential(token) ? await readTogether(token) : null;
    if (!key) throw new ApiError('invalid_key');
    return key;
  };
}

const principalOf = ({ id, workspaceId, env, authority }: SecretKeyFact): Principal => ({
  kind: 'secret_key',
  env,
  reach: { workspaceId, envs: envsOf(env), actor: { type: 'secret_key', id }, authority },
});
