// The secret for signing messages to one endpoint. It is sealed for that endpoint, so a copy in
// another endpoint's row can't be unsealed.
import { WEBHOOK_SECRET_BYTES } from '@keyrail/protocol/wire/limits.ts';
import { webhookSecretBytes, webhookSecretOf } from '@keyrail/protocol/wire/webhook-signature.ts';
import { assert } from '../../base/assert.ts';
import type { RandomBytes } from '../../base/random.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import { Secret } from '../../base/secret.ts';
import type { EndpointRow } from './rows.ts';

type NewSigningSecret = { secret: Secret; sealed: Buffer };

export function newSigningSecret(
  sealing: BoundSealing,
  endpointId: string,
  randomBytes: RandomBytes,
): NewSigningSecret {
  const text = webhookSecretOf(randomBytes(WEBHOOK_SECRET_BYTES));
  return { secret: new Secret(text), sealed: sealing.seal(Buffer.from(text), endpointId) };
}

type Sealed = Pick<EndpointRow, 'id' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>;

/**
 * Returns the secrets to sign with now. After a rotation, they include the old one until the
 * overlap ends.
 */
export function signingSecretsOf(
  { unseal }: BoundSealing,
  { id, sealedSecret, sealedOldSecret, oldSecretUntil }: Sealed,
  now: Date,
): Buffer[] {
  const isOverlapping = oldSecretUntil !== null && oldSecretUntil > now;
  const sealed = [sealedSecret, ...(sealedOldSecret && isOverlapping ? [sealedOldSecret] : [])];
  return sealed.map((each) => {
    const bytes = webhookSecretBytes(unseal(each, id).toString('utf8'));
    assert(bytes, 'an unsealed webhook secret has the wrong format');
    return bytes;
  });
}
