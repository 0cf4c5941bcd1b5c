// Turns rows into policy objects. The project's default rate limits are applied here, not in nodes.
import type {
  PolicyChange,
  PolicyDelta,
  PolicyEntry,
  PolicySnapshot,
} from '@keyrail/protocol/objects/policy.ts';
import type { PolicyNode } from '@keyrail/protocol/objects/policy-node.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { DeltaAnswer } from './feed-delta.ts';
import type { SnapshotAnswer } from './feed-snapshot.ts';
import type { FeedFilter } from './feed-view.ts';
import type { ListedNode } from './node.rows.ts';
import { nodeStateOf } from './node-state.ts';
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
  ...(row.meta !== undefined && { meta: row.meta }),
  ...(row.tenantExternalId !== undefined && { tenant_external_id: row.tenantExternalId }),
  ...(row.isImported && { imported: true as const }),
});

function presentChange(row: ChangeRow, head: FeedHead): PolicyChange {
  const reason = removalReason(row);
  if (reason === null) return { change: 'upsert', ...presentEntry(row, head) };
  return {
    change: 'remove',
    key_id: row.id,
    tenant_id: row.tenantId,
    env: row.env,
    lookup_hash: row.lookupHash,
    reason,
  };
}

/** Why a key is removed from a node; null if the node should have it. */
function removalReason(row: ChangeRow): string | null {
  if (row.isRevoked) return 'revoked';
  if (row.isDisabled) return 'disabled';
  if (row.isRetired) return 'expired';
  return row.isUnsupported ? 'unsupported' : null;
}

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

export const presentNode = (row: ListedNode, projectId: string): PolicyNode => ({
  object: 'policy_node',
  node_id: row.nodeId,
  project_id: projectId,
  env_scope: row.envScope,
  version: row.ackedVersion,
  current_version: row.currentVersion,
  state: nodeStateOf({
    isCounted: row.isCounted,
    isCurrent: row.ackedVersion >= row.currentVersion,
  }),
  connected: row.isConnected,
  sdk: row.sdkName && row.sdkVersion ? { name: row.sdkName, version: row.sdkVersion } : null,
  understands: row.understands,
  first_seen_at: wireTime(row.firstSeenAt),
  last_seen_at: wireTime(row.lastSeenAt),
});
