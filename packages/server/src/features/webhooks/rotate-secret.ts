import { hoursAfter, later } from '../../base/duration.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Secret } from '../../base/secret.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { type EndpointRow, lockEndpoint, updateEndpointRow } from './rows.ts';
import { newSigningSecret } from './signing-secret.ts';

/**
 * Until the overlap ends, messages are signed with both secrets. If an earlier overlap hasn't
 * ended, its old secret is dropped immediately.
 */
export async function rotateSecret(
  tx: Write,
  { id, overlapHours }: { id: string; overlapHours: number },
  sealing: BoundSealing,
): Promise<Change<{ row: EndpointRow; secret: Secret }>> {
  const current = await lockEndpoint(tx, id);
  const { secret, sealed } = newSigningSecret(sealing, id, tx.randomBytes);
  const overlaps = overlapHours > 0;
  const row = await updateEndpointRow(tx, id, {
    sealedSecret: sealed,
    sealedOldSecret: overlaps ? current.sealedSecret : null,
    oldSecretUntil: overlaps ? hoursAfter(tx.now, overlapHours) : null,
    updatedAt: later(current.updatedAt, tx.now),
  });
  const payload = { overlap_hours: overlapHours };
  return changed(
    { row, secret },
    { action: 'webhook_endpoint.secret_rotated', target: id, payload },
  );
}
