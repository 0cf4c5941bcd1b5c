/**
 * Installs a Linux distribution package if a test needs its binaries and they are missing. It
 * doesn't start any services or create any databases. KEYRAIL_TEST_INSTALL=off disables it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const INSTALL_MS_MAX = 240_000;
/** How long to wait for another process that is installing something. */
const LOCK_WAIT_SECONDS = 120;
const POLICY = '/usr/sbin/policy-rc.d';
const CREATE_CLUSTER = '/etc/postgresql-common/createcluster.conf';

/** The result of updating the package lists, which is done only once per process. */
let updated: { failure: string | null } | undefined;

/** Returns null if the package was installed, otherwise the reason why not. */
export function installFromDistribution(name: string): string | null {
  const refusal = whyNot();
  if (refusal) return refusal;

  console.error(`Installing ${name} from the distribution, for the tests that need it.`);
  keepClustersUncreated();
  const removePolicy = keepDaemonsStopped();
  try {
    updated ??= { failure: apt(['update']) };
    return (
      updated.failure ??
      apt([
        'install',
        '-y',
        '--no-install-recommends',
        '-o',
        'Dpkg::Options::=--force-confold',
        name,
      ])
    );
  } finally {
    removePolicy();
  }
}

function whyNot(): string | null {
  if (process.env.KEYRAIL_TEST_INSTALL === 'off') return 'KEYRAIL_TEST_INSTALL is off';
  if (process.env.KEYRAIL_TEST_INSTALL === 'tried') return 'the test command could not install it';
  if (process.getuid?.() !== 0) return 'installing it needs root';
  const found = spawnSync('apt-get', ['--version'], { stdio: 'ignore' });
  return found.status === 0 ? null : 'this machine has no apt-get';
}

function apt(args: string[]): string | null {
  const waits = ['-o', `DPkg::Lock::Timeout=${LOCK_WAIT_SECONDS}`];
  const run = spawnSync('apt-get', ['-q', ...waits, ...args], {
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', UCF_FORCE_CONFFOLD: '1' },
  });
  if (run.status === 0) return null;
  const said = (run.stderr || run.error?.message || '').trim().split('\n').slice(-3).join(' ');
  return `apt-get ${args[0]} failed: ${said}`;
}

/** By default, Debian creates and starts a cluster named main during the installation. */
function keepClustersUncreated(): void {
  if (existsSync(CREATE_CLUSTER)) return;
  mkdirSync(dirname(CREATE_CLUSTER), { recursive: true });
  writeFileSync(CREATE_CLUSTER, 'create_main_cluster = false\n');
}

/** Keeps Debian from starting installed services, unless the machine already has a policy. */
function keepDaemonsStopped(): () => void {
  if (existsSync(POLICY)) return () => {};
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}
