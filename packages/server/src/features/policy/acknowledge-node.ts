import type { Ack, Standing } from './node.rows.ts';

/**
 * Notes what a node has applied: by asking for what came after a version it says that it has it.
 * Writes only when that is news, or when the node was last noted a while ago. True when written.
 */
export async function acknowledgeNode(
  write: (ack: Ack) => Promise<unknown>,
  ack: Ack,
  known: Standing,
): Promise<boolean> {
  // Whoever has nothing yet, or a version that we never gave out (after a restore, say),
  // acknowledges nothing.
  const version = ack.version && ack.version <= known.version ? ack.version : null;
  const isNews =
    known.ackedVersion === null || (version !== null && version !== known.ackedVersion);
  if (!isNews && !known.isStale) return false;
  await write({ ...ack, version });
  return true;
}
