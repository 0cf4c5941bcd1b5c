// A small disk that can be filled: a tmpfs in its own mount namespace, so that nothing outside can
// see it or run out of space. A sleeping process keeps the namespace alive, and programs enter it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '@keyrail/testing/stores/scratch.ts';

export type SmallDisk = {
  /** The words to put before a command so that it can access the disk. */
  prefix: readonly string[];
  /** Copies a directory onto the disk. */
  copy(from: string): void;
  fill(): void;
  free(): void;
  close(): Promise<void>;
};

const FILLER = 'filler';

/** Why this machine doesn't support a separate disk; null if it does. */
export function whyNoDisk(): string | null {
  if (process.getuid?.() !== 0) return 'this fault needs root, to create a mount namespace';
  const tried = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt'], {
    encoding: 'utf8',
  });
  return tried.status === 0 ? null : `this fault needs a mount namespace: ${tried.stderr.trim()}`;
}

export async function openSmallDisk(
  path: string,
  { mib, account }: { mib: number; account: Account | null },
): Promise<SmallDisk> {
  mkdirSync(path, { recursive: true });
  const owner = account ? `,uid=${account.uid},gid=${account.gid}` : '';
  const mount = `mount -t tmpfs -o size=${mib}m,mode=0700${owner} none ${path}`;
  const script = `${mount} && echo mounted && exec sleep infinity`;
  const holder = spawn('setpriv', ['--pdeathsig=KILL', 'unshare', '-m', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => holder.kill('SIGKILL'));
  await mounted(holder);
  const prefix = ['nsenter', '-t', String(holder.pid), '-m', '--'];
  const run = (...words: string[]) =>
    spawnSync(prefix[0] ?? '', [...prefix.slice(1), ...words], { encoding: 'utf8' });
  return {
    prefix,
    copy: (from) => {
      const { status, stderr } = run('cp', '-a', `${from}/.`, path);
      if (status !== 0) throw new Error(stderr);
    },
    // Once the disk is full, dd exits with an error. That is the point.
    fill: () => void run('dd', 'if=/dev/zero', `of=${join(path, FILLER)}`, 'bs=64k'),
    free: () => void run('rm', '-f', join(path, FILLER)),
    close: async () => {
      if (holder.exitCode !== null || holder.signalCode !== null) return;
      const gone = once(holder, 'exit');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}

async function mounted(holder: ChildProcess): Promise<void> {
  const ended = once(holder, 'exit').then(() => {
    throw new Error('the small disk could not be mounted');
  });
  const said = holder.stdout ? once(holder.stdout, 'data') : ended;
  await Promise.race([said, ended]);
  ended.catch(() => {}); // the process exits when the soak ends
}
