import type { Read } from '../../doors/door.ts';
import { type KeyRow, loadVersion } from './rows.ts';

export type Reached = { version: number };

/**
 * Tells how far the last change of a key has come. Nodes are not known to this server yet, so it
 * has reached all of them: none.
 */
export const awaitNodes = async (read: Read, key: KeyRow): Promise<Reached> => ({
  version: await loadVersion(read, key),
});
