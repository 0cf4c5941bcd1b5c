import type { Read } from '../../doors/door.ts';
import { listKnownIds } from '../keys/rows.ts';
import { type DayRow, listDaysOfKeys } from './rows.ts';

type KeyUsage = { keyId: string; days: number; rows: DayRow[] };

/**
 * Returns the daily traffic of several keys, without duplicates, in the requested order. Keys that
 * the caller can't access are omitted.
 */
export async function readKeysUsage(
  tx: Read,
  { ids, days }: { ids: readonly string[]; days: number },
): Promise<KeyUsage[]> {
  const known = new Set(await listKnownIds(tx, ids));
  const keyIds = ids.filter((id) => known.has(id));
  const rows = Map.groupBy(await listDaysOfKeys(tx, keyIds, days), ({ keyId }) => keyId);
  return keyIds.map((keyId) => ({ keyId, days, rows: rows.get(keyId) ?? [] }));
}
