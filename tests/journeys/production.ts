// A folder like /opt on a server: a clone owned by root, and a user that can't change it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { unpackEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import { root } from '@keyrail/testing/documents.ts';
import { copyInstalled } from '@keyrail/testing/installed-packages.ts';

const USER = 'nobody';
const PROGRAMS = ['bash', 'curl', 'git', 'npm', 'setpriv'];

/** The machine's PATH, without the clone's own programs, which npm puts first. */
export const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** Arguments with which `setpriv` switches to the unprivileged user. */
export const asUser = (): string[] => [
  '--reuid',
  idOf('-u'),
  '--regid',
  idOf('-g'),
  '--clear-groups',
];

export const idOf = (which: '-u' | '-g'): string =>
  execFileSync('id', [which, USER], { encoding: 'utf8' }).trim();

/** Returns why these tests can't run, or false if they can. */
export function whyNot(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'needs Linux and root, to run the server as another user';
  }
  const runs = (command: string, words: string[]): boolean =>
    spawnSync(command, words, { env: { PATH }, cwd: tmpdir() }).status === 0;
  const missing = PROGRAMS.filter((name) => !runs(name, ['--version']));
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return runs('setpriv', [...asUser(), 'npm', '--version']) ? false : `${USER} cannot run npm`;
}

export type Place = {
  folder: string;
  /** A repository without dependencies, to be cloned. */
  source: string;
  /** What `npm ci --omit=dev` would install. */
  dependencies: string;
  /** A data directory that contains a database, because creating one takes seconds. */
  data: string;
};

export async function openPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'kr-production-'));
  // The unprivileged user can enter this folder, but none of the other folders that tests use.
  await chmod(folder, 0o755);
  const place = {
    folder,
    source: join(folder, 'source'),
    dependencies: join(folder, 'dependencies'),
    data: join(folder, 'data'),
  };
  await Promise.all([copyTree(place.source), copyDependencies(place.dependencies)]);
  await unpackEmbeddedCopy(join(place.data, 'database'));
  execFileSync('chown', ['-R', `${idOf('-u')}:${idOf('-g')}`, place.data]);
  return place;
}

export const closePlace = ({ folder }: Place): Promise<void> =>
  rm(folder, { recursive: true, force: true });

const NOT_IN_GIT = /^(node_modules|dist|\.git|\.keyrail|\.building-.*|.*\.(log|tgz))$/;

/** Copies the working tree into a new repository, as its only commit. */
export async function copyTree(to: string): Promise<void> {
  const filter = (path: string): boolean => path === root || !NOT_IN_GIT.test(basename(path));
  await cp(root, to, { recursive: true, filter });
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'all'],
  ]) {
    execFileSync('git', words, { cwd: to });
  }
}

type Locked = { dev?: boolean; link?: boolean; resolved?: string };

/** Copies every package that the lock file does not mark as a development dependency. */
async function copyDependencies(to: string): Promise<void> {
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const kept = Object.entries(lock.packages)
    .filter(([path, { dev }]) => path.includes('node_modules/') && !dev)
    // npm leaves out optional packages meant for other machines.
    .filter(([path]) => existsSync(join(root, path)));
  await copyInstalled(
    kept.map(([path, entry]) => ({ path, ...entry })),
    to,
  );
  const modules = join(to, 'node_modules');
  const record = JSON.stringify({ packages: Object.fromEntries(kept) });
  await writeFile(join(modules, '.package-lock.json'), record);
  await linkPrograms(modules);
}

async function linkPrograms(modules: string): Promise<void> {
  await mkdir(join(modules, '.bin'));
  for (const name of await readdir(modules)) {
    const program = join(modules, name, 'bin/node');
    if (existsSync(program)) await symlink(`../${name}/bin/node`, join(modules, '.bin/node'));
  }
}

type Ended = { code: number | null; output: string };

/** Runs a command; `onOutput` receives everything it has printed so far. */
export async function runCommand(
  [command = '', ...words]: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  onOutput: (output: string, stop: () => void) => void = () => {},
): Promise<Ended> {
  const child = spawn(command, words, { cwd, env: { PATH, ...env }, detached: true });
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', endGroup);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onOutput(output, () => child.kill('SIGTERM'));
    });
  }
  const [code] = await once(child, 'close');
  process.off('exit', endGroup);
  return { code, output };
}
