import type { Ack, Standing } from './node.rows.ts';

/**
 * Records the version that a node has applied: a node acknowledges a version by asking for changes
 * after it. Writes only a new version, or when the record is stale. Returns true when written.
 */
export async function acknowledgeNode(
  write: (ack: Ack) => Promise<unknown>,
  ack: Ack,
  known: Standing,
): Promise<boolean> {
  // A node without a version acknowledges nothing, nor does one with a version that the project
  // has not reached (after a restore of the database, for example).
  const version = ack.version && ack.version <= known.version ? ack.version : null;
  const isNew = known.ackedVersion === null || (version !== null && version !== known.ackedVersion);
  if (!isNew && !known.isStale) return false;
  await write({ ...ack, version });
  return true;
}
