// Runs a server with a read-only root file system, in its own mount namespace. This is what a
// container engine does, for machines without one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@keyrail/testing/documents.ts';
import { copyInstalled } from '@keyrail/testing/installed-packages.ts';

const PLACE = '/opt/keyrail';

/** Returns why this machine doesn't allow such a namespace, or false if it does. */
export function whyNoNamespace(): string | false {
  const tried = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], {
    encoding: 'utf8',
  });
  if (tried.status === 0) return false;
  return `no private mount namespace: ${tried.error?.message ?? tried.stderr.trim()}`;
}

type Locked = {
  link?: boolean;
  resolved?: string;
  dependencies?: Names;
  optionalDependencies?: Names;
};
type Names = Record<string, string>;

/**
 * Copies what `npm ci --omit=dev --workspace packages/server` would install, according to the lock
 * file.
 */
export async function copyServerModules(to: string): Promise<void> {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
  const packages: Record<string, Locked> = JSON.parse(lock).packages;
  const found = new Set<string>();
  const follow = (path: string): void => {
    const { dependencies, optionalDependencies, ...entry } = packages[path] ?? {};
    if (found.has(path)) return;
    found.add(path);
    if (entry.link) follow(entry.resolved ?? '');
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = installedFor(path, name, packages);
      if (next !== null) follow(next);
    }
  };
  follow('node_modules/@keyrail/server');
  const inModules = [...found].filter((path) => path.includes('node_modules/'));
  await copyInstalled(
    inModules.map((path) => ({ path, ...packages[path] })),
    to,
  );
}

/** Returns the nearest folder that contains the package, following Node.js's search order. */
function installedFor(from: string, name: string, packages: Record<string, Locked>): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return null;
  }
}

/** Exits with 90 if the root is writable. */
const SCRIPT = `set -eu
root=$1 data=$2 node=$3 user=$4
mount --bind "$root" "$root"
shift 4
for part in "$@"; do mkdir -p "$root$part"; mount --bind "$part" "$root$part"; done
if [ "$node" != /usr/local/bin/node ]; then
  touch "$root/node"; mount --bind "$node" "$root/node"; node=/node
fi
mount --bind "$data" "$root/var/lib/keyrail"
mount -o remount,bind,ro "$root"
if touch "$root${PLACE}/written" 2>/dev/null; then exit 90; fi
exec chroot --userspec="$user" --groups= "$root" /usr/bin/env -C ${PLACE} "$node" \
  packages/server/bin/keyrail-server.js start`;

type Rooted = {
  /** The folder to run in, which becomes the root file system. */
  folder: string;
  data: string;
  node: string;
  user: string;
  /** Other folders on the machine that are needed within the root. */
  binds: string[];
  env: Record<string, string>;
};

/** Starts the server, calls `use` once it is ready, and stops it. */
export async function runReadOnly(
  { folder, data, node, user, binds, env }: Rooted,
  use: () => Promise<void>,
): Promise<{ code: number | null; output: string }> {
  const words = ['-m', 'sh', '-c', SCRIPT, 'sh', folder, data, node, user, ...binds];
  const child = spawn('unshare', words, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env } });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  let used: Promise<void> | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!output.includes('"msg":"ready"')) return;
      used ??= use().finally(() => child.kill('SIGTERM'));
    });
  }
  const [code] = await once(child, 'close');
  process.off('exit', end);
  await used;
  return { code, output };
}
