// How much disk space is left, and which writes are rejected as it runs out.

/**
 * `low`: nonessential records are not written. `full`: only writes that revoke or delete are
 * allowed. `out`: no writes are allowed.
 */
export type StorageState = 'ok' | 'low' | 'full' | 'out';

/** From most to least free space. */
export const storageStates: readonly StorageState[] = ['ok', 'low', 'full', 'out'];

/**
 * `spare`: the write is rejected as soon as the state is `low`. `reserve`: only once it is `out`.
 */
export type StorageUse = 'spare' | 'reserve';
