// Turns a secret key into a principal with the key's role and environments.

import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';
import { lookupHash, parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { envsOf } from './boundary.ts';
import type { Lookups, SecretKeyFact } from './gate.rows.ts';
import type { Principal } from './principal.ts';
import type { ReadKey } from './secret-key-cache.ts';

type Parts = { lookups: Pick<Lookups, 'findSecretKey' | 'noteUse'>; log: Log };

/** Throws a 401 if the key is not active. */
export type ReadSecretKey = (token: string) => Promise<ReadKey>;

export const createSecretKeyReader =
  ({ lookups, log }: Parts): ReadSecretKey =>
  async (token) => {
    // A mistyped key fails its checksum and is rejected with the same error, without a lookup.
    const fact = parseCredential(token) ? await lookups.findSecretKey(lookupHash(token)) : null;
    if (!fact?.active) throw new ApiError('invalid_key');
    if (fact.useIsStale) {
      await lookups
        .noteUse(fact)
        .catch((error) => log.warn({ error }, 'failed to record the use of a secret key'));
    }
    return { id: fact.id, principal: principalOf(fact), expiresInMs: fact.expiresInMs };
  };

const principalOf = (fact: SecretKeyFact): Principal => ({
  kind: 'secret_key',
  env: fact.env,
  isQuarantined: fact.isQuarantined,
  isAllowedFrom: fact.networks && createAddressCheck(fact.networks),
  reach: {
    workspaceId: fact.workspaceId,
    envs: envsOf(fact.env),
    actor: { type: 'secret_key', id: fact.id },
    authority: fact.authority,
    ...(fact.permissions && { permissions: fact.permissions }),
    ...(fact.projectIds && { projectIds: fact.projectIds }),
    ...(fact.networks && { networks: fact.networks }),
  },
});
