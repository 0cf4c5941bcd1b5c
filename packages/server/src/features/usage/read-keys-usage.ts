import type { Read } from '../../doors/door.ts';
import { listKnownIds } from '../keys/rows.ts';
import type { KeyUsage } from './read-key-usage.ts';
import { listDaysOfKeys } from './rows.ts';

/** The daily traffic of several keys, in the order asked. Keys that are not in reach are left out. */
export async function readKeysUsage(
  tx: Read,
  { ids, days }: { ids: readonly string[]; days: number },
): Promise<KeyUsage[]> {
  const wanted = [...new Set(ids)];
  const known = new Set(await listKnownIds(tx, wanted));
  const keyIds = wanted.filter((id) => known.has(id));
  const rows = Map.groupBy(await listDaysOfKeys(tx, keyIds, days), ({ keyId }) => keyId);
  return keyIds.map((keyId) => ({ keyId, days, rows: rows.get(keyId) ?? [] }));
}
