// How much disk space is left, and which writes are rejected as it runs out.

/**
 * `low`: nonessential records are not written. `full`: only writes that revoke or delete are
 * allowed. `out`: no writes are allowed.
 */
export type StorageState = 'ok' | 'low' | 'full' | 'out';

/** From best to worst. */
export const storageStates: readonly StorageState[] = ['ok', 'low', 'full', 'out'];

/**
 * `spare`: such a write stops when the disk is low. `reserve`: it only stops when the disk is out
 * of space.
 */
export type StorageUse = 'spare' | 'reserve';
