// Removes expired records to free their space; every other statement already ignores them. Safe to
// run twice.
import type { OpenWork } from '../../doors/work.ts';
import { removeExpired } from './rows.ts';

const BATCH_MAX = 1000;

export async function purgeKeptResponses(work: OpenWork): Promise<void> {
  const purge = () => work((tx) => removeExpired(tx, { before: tx.now, limit: BATCH_MAX }));
  while ((await purge()) === BATCH_MAX);
}
