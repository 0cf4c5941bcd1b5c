import type { Read } from '../../doors/door.ts';
import { loadKey } from '../keys/rows.ts';
import { type DayRow, listKeyDays } from './rows.ts';

export type KeyUsage = { keyId: string; days: number; rows: DayRow[] };

/** Returns a key's daily traffic. Any caller that can read the key can also read its usage. */
export async function readKeyUsage(
  tx: Read,
  { id, days }: { id: string; days: number },
): Promise<KeyUsage> {
  const key = await loadKey(tx, id);
  return { keyId: key.id, days, rows: await listKeyDays(tx, key.id, days) };
}
