// The names of backups and their files, without what it takes to read them.

export const MANIFEST = 'manifest.json';

/** Directories with this prefix are incomplete. */
export const PART_PREFIX = '.part-';

/** Those with this prefix are being removed. */
export const GONE_PREFIX = '.gone-';

/** A running backup holds it, for its transaction. It ends with the program, however that ends. */
export const BACKUP_LOCK = 'select pg_try_advisory_xact_lock(7265003) as ours';

/** Ids sort by time: `20261116T130500Z-1f0c2a9b`. */
export const isBackupId = (text: string): boolean => /^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(text);

/** A backup that must not be used. The message names the file and the remedy. */
export class BadBackup extends Error {}
