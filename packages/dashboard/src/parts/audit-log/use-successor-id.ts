// Finds the key that replaced this one. Only the audit log records it.
import { useApi } from '../../api/query.ts';

export function useSuccessorId(kind: 'api_key' | 'secret_key', id: string): string | null {
  const rows = useApi('GET /v1/audit_logs', {
    query: { target_id: id, action: `${kind}.rotated`, order: 'desc', limit: 1 },
  });
  const [row] = rows.data?.data ?? [];
  const successorId = row?.payload.successor_id;
  return typeof successorId === 'string' ? successorId : null;
}
