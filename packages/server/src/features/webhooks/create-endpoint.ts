import type { BoundSealing } from '../../base/sealing.ts';
import type { Secret } from '../../base/secret.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { refuseLiveEvents } from './live-events.ts';
import { type EndpointRow, insertEndpoint } from './rows.ts';
import { newSigningSecret } from './signing-secret.ts';

type Wanted = { url: string; events: string[]; env: Env | null; description: string | null };

/**
 * The caller must already have checked the URL. The database enforces the maximum number of
 * endpoints.
 */
export async function createEndpoint(
  tx: Write,
  wanted: Wanted,
  sealing: BoundSealing,
): Promise<Change<{ row: EndpointRow; secret: Secret }>> {
  refuseLiveEvents(tx.reach, wanted.env);
  const id = tx.newId();
  const { secret, sealed } = newSigningSecret(sealing, id, tx.randomBytes);
  const row = await insertEndpoint(tx, {
    ...wanted,
    id,
    sealedSecret: sealed,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  const payload = { host: new URL(row.url).host, events: row.events };
  return changed({ row, secret }, { action: 'webhook_endpoint.created', target: id, payload });
}
