// Reads the end of a workspace's audit log.
import type { Harness } from './harness.ts';

export const headSeq = async ({ as }: Harness): Promise<number> =>
  (await as.liveKey('GET /v1/audit_logs/chain')).head_seq;

/** Returns the newest row's action, target and payload. */
export async function lastEntry(app: Harness) {
  const after_seq = (await headSeq(app)) - 1;
  const { data } = await app.as.liveKey('GET /v1/audit_logs', { after_seq });
  const [row] = data;
  return row && { action: row.action, target: row.target_id, payload: row.payload };
}
