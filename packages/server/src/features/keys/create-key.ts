import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Minted } from '../credentials/new-credential.ts';
import { newKey, type WantedKey } from './new-key.ts';
import { insertKey, type KeyRow, lockParents } from './rows.ts';

/**
 * Creates a key. The project and the tenant are locked, so neither can be deleted in the meantime.
 */
export async function createKey(
  tx: Write,
  wanted: Omit<WantedKey, 'rotatedFrom'>,
): Promise<Change<Minted<KeyRow>>> {
  await lockParents(tx, wanted);
  const { values, secret } = newKey(tx, wanted);
  const row = await insertKey(tx, values);
  return changed(
    { row, secret },
    {
      action: 'api_key.created',
      target: row.id,
      payload: { env: row.env, display_prefix: row.displayPrefix },
    },
    { policy: [row.projectId] },
  );
}
