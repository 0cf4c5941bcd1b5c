/**
 * Finds the newest PostgreSQL binaries on this machine, or installs them if permitted.
 * KEYRAIL_TEST_POSTGRES_BIN sets a different directory.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installFromDistribution } from './distribution.ts';

const VERSION_MIN = 15;

/** The directory of the newest usable binaries, or why there are none. */
export function findPostgres(): { bin: string } | { missing: string } {
  const bin = newestBin();
  if (bin) return { bin };
  const refusal = installFromDistribution('postgresql');
  const installed = newestBin();
  if (installed) return { bin: installed };
  return { missing: `no PostgreSQL ${VERSION_MIN} or later: ${refusal ?? 'none was installed'}` };
}

function newestBin(): string | null {
  const chosen = process.env.KEYRAIL_TEST_POSTGRES_BIN;
  const candidates = chosen ? [chosen] : [...debianBins(), ...pathBins()];
  return candidates.find((bin) => versionOf(bin) >= VERSION_MIN) ?? null;
}

function debianBins(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(root, version, 'bin'));
}

function pathBins(): string[] {
  const run = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const configured = run.status === 0 ? [run.stdout.trim()] : [];
  return [...configured, ...(process.env.PATH ?? '').split(':')].filter((bin) =>
    existsSync(join(bin, 'initdb')),
  );
}

function versionOf(bin: string): number {
  if (!existsSync(join(bin, 'initdb'))) return 0;
  const run = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(run.stdout?.match(/\) (\d+)/)?.[1] ?? 0);
}
