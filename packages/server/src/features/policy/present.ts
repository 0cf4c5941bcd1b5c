// Rows → policy objects. The project's default rate limits are applied here, not in the nodes.
import type {
  PolicyChange,
  PolicyDelta,
  PolicyEntry,
  PolicySnapshot,
} from '@keyrail/protocol/objects/policy.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { DeltaAnswer } from './feed-delta.ts';
import type { SnapshotAnswer } from './feed-snapshot.ts';
import type { FeedFilter } from './feed-view.ts';
import type { ChangeRow, EntryRow, FeedHead } from './rows.ts';

const presentHead = (head: FeedHead, filter: FeedFilter, generatedAt: Date) => ({
  workspace_id: head.workspaceId,
  project_id: filter.projectId,
  env: filter.env,
  version: head.version,
  project_deleted: head.isDeleted,
  generated_at: wireTime(generatedAt),
});

const presentEntry = (row: EntryRow, { defaultRateLimits }: FeedHead): PolicyEntry => ({
  key_id: row.id,
  tenant_id: row.tenantId,
  env: row.env,
  lookup_hash: row.lookupHash,
  display_prefix: row.displayPrefix,
  scopes: row.scopes,
  expires_at: wireTimeOrNull(row.expiresAt),
  rate_limits: row.rateLimits ?? defaultRateLimits,
  ...(row.isImported && { imported: true as const }),
});

const presentChange = (row: ChangeRow, head: FeedHead): PolicyChange =>
  row.isRevoked || row.isRetired
    ? {
        change: 'remove',
        key_id: row.id,
        tenant_id: row.tenantId,
        env: row.env,
        lookup_hash: row.lookupHash,
        reason: row.isRevoked ? 'revoked' : 'expired',
      }
    : { change: 'upsert', ...presentEntry(row, head) };

export const presentSnapshot = (
  { head, entries, generatedAt }: SnapshotAnswer,
  filter: FeedFilter,
  nextCursor: string | null,
): PolicySnapshot => ({
  object: 'policy_snapshot',
  ...presentHead(head, filter, generatedAt),
  keys: entries.map((row) => presentEntry(row, head)),
  next_cursor: nextCursor,
});

export const presentDelta = (
  { head, changes, generatedAt }: DeltaAnswer,
  filter: FeedFilter,
  since: number,
): PolicyDelta => ({
  object: 'policy_delta',
  ...presentHead(head, filter, generatedAt),
  since,
  changes: changes.map((row) => presentChange(row, head)),
});
