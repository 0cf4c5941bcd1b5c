// Turns rows into workspace objects.
import type { WorkspaceSummary } from '@keyrail/protocol/objects/summary.ts';
import type { FoundedWorkspace, Workspace } from '@keyrail/protocol/objects/workspace.ts';
import { COUNTED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import { nodeStateOf } from '../policy/node-state.ts';
import { presentSecretKey } from '../secret-keys/present.ts';
import type { CreatedWorkspace } from './create-workspace.ts';
import type { Summary } from './read-summary.ts';
import type { WorkspaceRow } from './rows.ts';

export const presentWorkspace = (row: WorkspaceRow): Workspace => ({
  object: 'workspace',
  id: row.id,
  name: row.name,
  slug: row.slug,
  billing_email: row.billingEmail,
  embed_origins: row.embedOrigins,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
});

export function presentSummary({ keys, nodes, ...summary }: Summary): WorkspaceSummary {
  return {
    object: 'workspace_summary',
    projects: summary.projects,
    tenants: summary.tenants,
    keys: {
      active: keys.active,
      disabled: keys.disabled,
      expiring: keys.expiring,
      expired: keys.expired,
      quarantined: keys.quarantined,
      unused: keys.unused,
    },
    secret_keys: summary.secretKeys,
    nodes: presentNodes(nodes),
    first_request_at: wireTimeOrNull(summary.firstRequestAt),
    last_request_at: wireTimeOrNull(summary.lastRequestAt),
    counted_max: COUNTED_MAX,
  };
}

function presentNodes(counts: Summary['nodes']): WorkspaceSummary['nodes'] {
  const nodes = { current: 0, behind: 0, silent: 0, connected: 0, connected_behind: 0 };
  let lastSeenAt: Date | null = null;
  for (const count of counts) {
    const state = nodeStateOf(count);
    nodes[state] += count.nodes;
    if (count.isConnected) nodes.connected += count.nodes;
    if (count.isConnected && state === 'behind') nodes.connected_behind += count.nodes;
    if (lastSeenAt === null || count.lastSeenAt > lastSeenAt) lastSeenAt = count.lastSeenAt;
  }
  return { ...nodes, last_seen_at: wireTimeOrNull(lastSeenAt) };
}

export const presentCreatedWorkspace = ({
  workspace,
  secretKey,
  ownerId,
}: CreatedWorkspace): FoundedWorkspace => ({
  workspace: presentWorkspace(workspace),
  secret_key: {
    ...presentSecretKey(secretKey.row),
    key: secretKey.secret.reveal(),
    key_shown_once: true,
  },
  membership: ownerId === null ? null : { user_id: ownerId, role: 'owner' },
});
