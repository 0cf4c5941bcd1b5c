// The audit rows of the last calls.
import type { Bench } from './bench.ts';

export const headSeq = async ({ as }: Bench): Promise<number> =>
  (await as.liveKey('GET /v1/audit_logs/chain')).head_seq;

/** The newest row: its action, target and payload. */
export async function lastEntry(held: Bench) {
  const after_seq = (await headSeq(held)) - 1;
  const { data } = await held.as.liveKey('GET /v1/audit_logs', { after_seq });
  const [row] = data;
  return row && { action: row.action, target: row.target_id, payload: row.payload };
}
