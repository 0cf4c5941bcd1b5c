// How much disk space is left, and until when something is written as it runs out.

/**
 * `low`: nothing is recorded that can be done without. `full`: only what ends or removes things is
 * written. `out`: nothing is.
 */
export type StorageState = 'ok' | 'low' | 'full' | 'out';

/** `spare`: written until the disk is low. `reserve`: written until it is out. */
export type StorageUse = 'spare' | 'reserve';
