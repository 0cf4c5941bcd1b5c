// The audit log's hash chain: the canonical form of a row, from which its hash is computed. The
// server, the CLI and external verifiers must all get the same result.

/** Used as the previous hash of the first row. */
export const GENESIS_HASH = '0'.repeat(64);

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

/** RFC 8785: keys sorted by UTF-16 code units, no spaces, ECMAScript numbers and strings. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The fields that are hashed, together with the workspace's ID. */
export const chainedFields = [
  'seq',
  'id',
  'occurred_at',
  'actor_type',
  'actor_id',
  'action',
  'target_type',
  'target_id',
  'payload',
  'prev_hash',
] as const;

type ChainedField = (typeof chainedFields)[number];

export type ChainedFields = Readonly<Record<ChainedField, unknown>>;

/** Returns the text to hash. It does not include the fields that the API adds for readers. */
export function hashedText(row: ChainedFields, workspaceId: string): string {
  const members = chainedFields.map((name): [string, unknown] => [name, row[name]]);
  const hashed = Object.fromEntries([...members, ['workspace_id', workspaceId]]);
  return canonicalJson(hashed as JsonValue); // the fields are JSON values
}
