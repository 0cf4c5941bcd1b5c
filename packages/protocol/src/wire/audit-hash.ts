// The hash of an audit row. Kept out of audit-chain.ts, because browsers have no node:crypto.
import { createHash } from 'node:crypto';
import { type ChainedFields, canonicalJson, chainedFields } from './audit-chain.ts';

/** The hash of a row as the API returns it. */
export function hashOfRow(workspaceId: string, row: ChainedFields): string {
  const members = chainedFields.map((name): [string, unknown] => [name, row[name]]);
  const hashed = Object.fromEntries([...members, ['workspace_id', workspaceId]]);
  // Round-trips the row through JSON, so that only what a response can contain is hashed.
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(JSON.stringify(hashed))))
    .digest('hex');
}
