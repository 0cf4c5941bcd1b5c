// keyrail-server restore: fills an empty database from a backup. The target is the store in the
// settings, so a backup of either kind of store can be restored into either kind.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { replaceSigningKeys } from '../backup/fences.ts';
import type { Manifest } from '../backup/manifest.ts';
import { openBackup } from '../backup/open-backup.ts';
import { isBackupId, newestBackup } from '../backup/places.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { type Place, withSession } from '../backup/sessions.ts';
import { systemClock } from '../base/clock.ts';
import { systemRandomBytes } from '../base/random.ts';
import { masterKeyMark } from '../base/sealing.ts';
import type { Secret } from '../base/secret.ts';
import type { Config } from '../config.ts';
import { lockDirectory } from '../db/embedded/directory-lock.ts';
import { markMigrated, refuseWithoutFiles } from '../db/embedded/migrated-marker.ts';
import { refuseUnsafeLogin } from '../db/login-role.ts';
import { masterKeyIn } from '../settings/generated-secrets.ts';
import { createTaskDisplay } from './progress.ts';

const USAGE =
  'usage: keyrail-server restore [<backup ID or directory>] [--new-master-key] ' +
  '[--ahead-of <version>]';
const NEW_KEY = '--new-master-key';

/**
 * The highest version that `--ahead-of` accepts. It is below the largest integer that a number can
 * represent exactly, so that later restores can raise versions further.
 */
const AHEAD_OF_MAX = 2 ** 52;

export async function restoreCommand(config: Config, words: readonly string[]): Promise<void> {
  const { which, mayDiffer, aheadOf } = wordsOf(words);
  const display = createTaskDisplay('restore', process.stdout);
  const directory = await directoryOf(config, which);
  const backup = await openBackup(directory, config.backups.key?.reveal() ?? null);
  const masterKey = await masterKeyFor(config, backup.manifest, mayDiffer);
  const order = {
    report: display.progress,
    rotateSigningKeys: replaceSigningKeys(masterKey),
    aheadOf,
  };
  const { migrated, fenced } = await inTarget(config, (place) =>
    withSession(place, async (session) => {
      if (place.kind === 'postgres') await refuseUnsafeLogin(session);
      return restoreBackup(session, backup, order);
    }),
  );
  const moved = await moveAnchors(config);
  const { id, takenAt, tables } = backup.manifest;
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  const steps = Object.entries(fenced).flatMap(([what, count]) =>
    count > 0 ? [`  ${count} ${what}`] : [],
  );
  display.done(
    { backupId: id, takenAt, rows, migrated, fenced, moved },
    [
      `Restored backup ${id}, taken at ${takenAt}: ${rows} rows in ${tables.length} tables, all verified.`,
      ...(migrated.length > 0 ? [`  migrated: ${migrated.join(', ')}`] : []),
      ...steps,
      ...moved.map((path) => `  audit anchors from before the restore are now in ${path}`),
      '  the embed token signing key was replaced; nodes will load a new snapshot',
    ].join('\n'),
  );
}

function wordsOf(words: readonly string[]) {
  const options = {
    'new-master-key': { type: 'boolean' },
    'ahead-of': { type: 'string' },
  } as const;
  const { values, positionals } = parsed();
  const [which, ...more] = positionals;
  const aheadOf = values['ahead-of'] ?? '0';
  const isVersion = /^\d{1,16}$/.test(aheadOf) && Number(aheadOf) <= AHEAD_OF_MAX;
  if (more.length > 0 || !isVersion) throw new Error(USAGE);
  return { which, mayDiffer: values['new-master-key'] ?? false, aheadOf: Number(aheadOf) };

  function parsed() {
    try {
      return parseArgs({ args: [...words], options, allowPositionals: true });
    } catch (error) {
      throw new Error(USAGE, { cause: error });
    }
  }
}

async function directoryOf({ backups }: Config, which: string | undefined): Promise<string> {
  if (which === undefined) return newestBackup(backups.dir);
  if (isBackupId(which)) return join(backups.dir, which);
  return isAbsolute(which) ? which : resolve(which);
}

/**
 * The target's master key. If it differs from the backup's, data sealed with the old key can no
 * longer be read, so the stored responses of idempotent requests are replayed without their bodies.
 */
async function masterKeyFor(
  { secrets: { masterKey }, store: { dataDir } }: Config,
  { masterKeyMark: wanted, id }: Manifest,
  mayDiffer: boolean,
): Promise<Secret> {
  const kept = join(dataDir, 'master-key');
  const known =
    masterKey ?? (existsSync(kept) ? await masterKeyIn(dataDir, systemRandomBytes) : null);
  if (known && (mayDiffer || masterKeyMark(known) === wanted)) return known;
  if (mayDiffer) return masterKeyIn(dataDir, systemRandomBytes);
  throw new Error(
    `Backup ${id} was made with a different master key. Nothing was changed. Set KEYRAIL_MASTER_KEY ` +
      `to that key, or copy its file to ${kept}. If that key is lost, add ${NEW_KEY}; stored ` +
      'idempotent responses will then be replayed without their bodies.',
  );
}

/**
 * Moves the anchor file aside. Its anchors may be newer than the restored audit chains, and the
 * chains would then fail verification.
 */
async function moveAnchors({ store: { dataDir } }: Config): Promise<string[]> {
  const time = systemClock
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '');
  const moved: string[] = [];
  for (const name of ['audit-anchors', 'audit-anchors.1']) {
    const path = join(dataDir, `${name}.jsonl`);
    if (!existsSync(path)) continue;
    moved.push(join(dataDir, `${name}.before-restore-${time}.jsonl`));
    await rename(path, moved.at(-1) ?? '');
  }
  return moved;
}

/** The embedded store stays locked until `use` has finished. */
async function inTarget<T>(
  { store: { databaseUrl, dataDir } }: Config,
  use: (target: Place) => Promise<T>,
): Promise<T> {
  if (databaseUrl) return use({ kind: 'postgres', url: databaseUrl.reveal() });
  const directory = join(dataDir, 'database');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    await refuseWithoutFiles(directory);
    const result = await use({ kind: 'embedded', directory });
    await markMigrated(directory);
    return result;
  } finally {
    await lock.release();
  }
}
