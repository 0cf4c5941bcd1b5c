// Turns rows into api_key objects.
import type {
  ApiKey,
  CreatedApiKey,
  RevokedApiKey,
  RotatedApiKey,
} from '@keyrail/protocol/objects/api-key.ts';
import type { KeyExplanation } from '@keyrail/protocol/objects/key-explanation.ts';
import type { KeyCount } from '@keyrail/protocol/objects/summary.ts';
import { KEYS_COUNTED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import type { Unissued } from '../../signing/receipts.ts';
import type { Minted, Rotated } from '../credentials/new-credential.ts';
import { presentLife, presentSecret } from '../credentials/present.ts';
import type { Propagation } from './await-nodes.ts';
import type { KeyCountRow } from './count.rows.ts';
import type { Explanation } from './explain-key.ts';
import type { ListedKey } from './list.rows.ts';
import type { ReceiptFacts } from './receipt.rows.ts';
import type { KeyRow } from './rows.ts';

type Shown<Meta> = Omit<ListedKey, 'meta'> & { meta: Meta };

/** `meta` is an object or, in lists, JSON text from the database. */
export const presentKey = <Meta>(row: Shown<Meta>): Omit<ApiKey, 'meta'> & { meta: Meta } => ({
  object: 'api_key',
  id: row.id,
  project_id: row.projectId,
  tenant_id: row.tenantId,
  env: row.env,
  display_prefix: row.displayPrefix,
  name: row.name,
  state: row.state,
  scopes: row.scopes,
  meta: row.meta,
  rate_limits: row.rateLimits,
  disabled_at: wireTimeOrNull(row.disabledAt),
  disabled_reason: row.disabledReason,
  imported: row.imported,
  ...presentLife(row),
});

/**
 * For embed tokens. The reason for disabling a key is the vendor's own note and not meant for
 * tenants.
 */
export const presentTenantKey = <Meta>(row: Shown<Meta>) => ({
  ...presentKey(row),
  disabled_reason: null,
});

export const presentKeyCount = (row: KeyCountRow): KeyCount => ({
  object: 'key_count',
  project_id: row.projectId,
  tenant_id: row.tenantId,
  env: row.env,
  active: row.active,
  total: row.total,
  counted_max: KEYS_COUNTED_MAX,
});

export const presentCreated = ({ row, secret }: Minted<KeyRow>): CreatedApiKey => ({
  ...presentKey(row),
  ...presentSecret(secret),
});

export const presentImported = (rows: readonly KeyRow[]): { object: 'list'; data: ApiKey[] } => ({
  object: 'list',
  data: rows.map((row) => presentKey(row)),
});

export const presentRotated = (rotated: Rotated<KeyRow>): RotatedApiKey => ({
  ...presentCreated(rotated),
  previous_key: presentKey(rotated.predecessor),
});

export const presentAwaited = (
  shown: ApiKey,
  { version, incompleteReason, waitedMs, nodes, silentNodes }: Propagation,
  receipt: string | null,
): RevokedApiKey => {
  const presented = nodes.map((node) => ({
    node_id: node.nodeId,
    env_scope: node.envScope,
    version: node.ackedVersion,
    acked: node.ackedVersion >= version,
    acked_after_ms: node.ackedAfterMs,
    last_seen_at: wireTime(node.lastSeenAt),
  }));
  return {
    ...shown,
    propagation: {
      version,
      complete: incompleteReason === null,
      incomplete_reason: incompleteReason,
      waited_ms: waitedMs,
      acked_nodes: presented.filter(({ acked }) => acked).length,
      total_nodes: presented.length,
      silent_nodes: silentNodes,
      nodes: presented,
      receipt,
    },
  };
};

/** A receipt's claims. */
export const presentReceipt = (
  { id, project_id, env }: ApiKey,
  { version, incompleteReason, waitedMs, nodes, silentNodes }: Propagation,
  { change, workspaceId, lookupHash, auditSeq, auditHash, now }: ReceiptFacts,
): Unissued => ({
  iat: Math.floor(now.getTime() / SECOND_MS),
  ws: workspaceId,
  prj: project_id,
  env,
  key_id: id,
  lookup_hash: lookupHash,
  change,
  version,
  complete: incompleteReason === null,
  incomplete_reason: incompleteReason,
  silent_nodes: silentNodes,
  waited_ms: waitedMs,
  nodes: nodes.map(({ nodeId, ackedVersion }) => ({
    node_id: nodeId,
    version: ackedVersion,
    acked: ackedVersion >= version,
  })),
  audit_seq: auditSeq,
  audit_hash: auditHash,
});

export const presentExplanation = (explained: Explanation): KeyExplanation => ({
  object: 'key_explanation',
  verdict: explained.reason === null ? 'allowed' : 'denied',
  reason: explained.reason,
  key: explained.key && presentKey(explained.key),
  checks: explained.checks,
  policy_version: explained.policyVersion,
  nodes: explained.nodes,
});
