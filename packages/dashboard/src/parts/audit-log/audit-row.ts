// Types for the audit rows that the dashboard loads, and for the names of the objects in them.
import type { Item } from '@keyrail/client';

export type AuditRow = Item<'GET /v1/audit_logs'>;

/** Names by ID. */
export type Names = ReadonlyMap<string, string>;
