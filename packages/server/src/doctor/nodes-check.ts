// Warns about nodes whose secret key can do more than a node needs. Anyone who steals such a key
// from a node can change the workspace.
import { profiles } from '@keyrail/protocol/wire/permissions.ts';
import { fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const SEEN_HOURS = 1;
const NAMED_MAX = 5;

export async function checkNodes(inspection: Inspection): Promise<Outcome[]> {
  const values = [profiles.node, SEEN_HOURS, NAMED_MAX];
  const nodes = await inspection.queryAs<Found>('kr_worker', OVERPRIVILEGED, values);
  const [{ count } = { count: 0 }] = nodes;
  if (count === 0) return [fine('No node polls with a secret key that can do more than it needs.')];
  const names = nodes.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
  const more = count > nodes.length ? ` and ${count - nodes.length} more` : '';
  return [
    warning(
      `Nodes poll with secret keys that can do more than a node needs: ${names}${more}.`,
      'Narrow each key, or restart the nodes with a new one: ' +
        'keyrail secret-keys create --env live --profile node. See docs/secret-keys.md.',
    ),
  ];
}

/** `count` is the total number of nodes, including those beyond NAMED_MAX. */
type Found = { name: string; prefix: string; count: number };

// Leaves out the old records of restarted nodes, and secret keys that no longer work.
const OVERPRIVILEGED = `
  select coalesce(n.node_name, n.node_id) as name, k.display_prefix as prefix,
    count(*) over ()::int as count
  from policy_nodes n join secret_keys k on k.id = n.secret_key_id
  where n.last_seen_at > app_now() - $2 * interval '1 hour'
    and (n.replaced_at is null or n.replaced_at < n.last_seen_at)
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now())
    and (k.permissions is null or not k.permissions <@ $1::text[])
  order by name, n.project_id, n.node_id, n.env_scope
  limit $3`;
