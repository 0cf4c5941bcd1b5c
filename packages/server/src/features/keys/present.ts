// Rows → api_key objects.
import type {
  ApiKey,
  CreatedApiKey,
  RevokedApiKey,
  RotatedApiKey,
} from '@keyrail/protocol/objects/api-key.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Minted, Rotated } from '../credentials/new-credential.ts';
import { presentLife, presentSecret } from '../credentials/present.ts';
import type { Propagation } from './await-nodes.ts';
import type { KeyRow, ListedKey } from './rows.ts';

type Shown<Meta> = Omit<ListedKey, 'meta'> & { meta: Meta };

/** `meta` is an object, or in lists the JSON text as the database returns it. */
export const presentKey = <Meta>(row: Shown<Meta>): Omit<ApiKey, 'meta'> & { meta: Meta } => ({
  object: 'api_key',
  id: row.id,
  project_id: row.projectId,
  tenant_id: row.tenantId,
  env: row.env,
  display_prefix: row.displayPrefix,
  name: row.name,
  scopes: row.scopes,
  meta: row.meta,
  rate_limits: row.rateLimits,
  imported: row.imported,
  ...presentLife(row),
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
  row: KeyRow,
  { version, complete, waitedMs, nodes, silentNodes }: Propagation,
): RevokedApiKey => {
  const presented = nodes.map((node) => ({
    node_id: node.nodeId,
    env_scope: node.envScope,
    version: node.ackedVersion,
    acked: node.ackedVersion >= version,
    last_seen_at: wireTime(node.lastSeenAt),
  }));
  return {
    ...presentKey(row),
    propagation: {
      version,
      complete,
      waited_ms: waitedMs,
      acked_nodes: presented.filter(({ acked }) => acked).length,
      total_nodes: presented.length,
      silent_nodes: silentNodes,
      nodes: presented,
    },
  };
};
