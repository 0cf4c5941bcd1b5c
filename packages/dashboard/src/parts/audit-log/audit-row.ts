// The audit rows that the dashboard loads, and the names of what they mention.
import type { Item } from '@keyrail/client';

export type AuditRow = Item<'GET /v1/audit_logs'>;

/** Names by ID. */
export type Names = ReadonlyMap<string, string>;
