// Checks the disk space of the data directory, and of a PostgreSQL database that has a maximum
// size.
import { stateAt } from '../db/database-size.ts';
import { freeBytesIn, stateWith } from '../db/disk-space.ts';
import { nearestExisting } from './files-check.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const MEBIBYTE = 1_048_576;

export function checkDisk(dataDir: string): Outcome[] {
  const freeBytes = freeBytesIn(nearestExisting(dataDir));
  const state = stateWith(freeBytes);
  const free = Number.isFinite(freeBytes) ? `${Math.floor(freeBytes / MEBIBYTE)} MiB` : 'enough';
  if (state === 'ok') return [fine(`The disk with ${dataDir} has ${free} free.`)];
  const report = state === 'low' ? warning : fault;
  return [
    report(
      `The disk with ${dataDir} has only ${free} free. Writes will be restricted in stages.`,
      'Free some space, or move KEYRAIL_DATA_DIR to a larger disk.',
    ),
  ];
}

/** Without a maximum, nothing can be checked, because a login can't see the server's disk. */
export async function checkDatabaseSize(
  inspection: Inspection,
  bytesMax: number | null,
): Promise<Outcome[]> {
  if (bytesMax === null) return [];
  const [row] = await inspection.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  const share = (row?.bytes ?? 0) / bytesMax;
  const percent = `${Math.round(share * 100)} % of KEYRAIL_DATABASE_BYTES_MAX`;
  const state = stateAt(share);
  if (state === 'ok') return [fine(`The database uses ${percent}.`)];
  const report = state === 'low' ? warning : fault;
  return [
    report(
      `The database uses ${percent}. Writes will be restricted in stages.`,
      'Raise KEYRAIL_DATABASE_BYTES_MAX if the disk has space, or run VACUUM FULL after deletions.',
    ),
  ];
}
