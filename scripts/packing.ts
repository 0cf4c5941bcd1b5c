// Packs the published packages and installs them into a project outside the clone, as a user would,
// but offline.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');

export type Name = 'sdk' | 'client' | 'cli' | 'edge' | 'widget';
export const names: readonly Name[] = ['sdk', 'client', 'cli', 'edge', 'widget'];

export type Packed = { name: Name; tarball: string; files: string[] };

/** Runs the npm that started the tests, or else the one on the PATH. */
export function npm(args: readonly string[], cwd: string) {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const [command, first] = cli && node ? [node, [cli]] : ['npm', []];
  return run(command, [...first, ...args], { cwd });
}

type Manifest = { name: string; filename: string; files: { path: string }[] };

/**
 * Packs all packages into the folder with a single npm process, because starting npm is the slow
 * part.
 */
export async function pack(wanted: readonly Name[], folder: string): Promise<Packed[]> {
  const flags = ['--json', '--silent', '--pack-destination', folder];
  const workspaces = wanted.flatMap((name) => ['-w', `packages/${name}`]);
  const { stdout } = await npm(['pack', ...workspaces, ...flags], root);
  const manifests: Manifest[] = JSON.parse(stdout);
  return wanted.map((name) => {
    const packed = manifests.find((one) => one.name === `@keyrail/${name}`);
    if (!packed) throw new Error(`npm did not pack ${name}: ${stdout}`);
    const tarball = join(folder, packed.filename);
    return { name, tarball, files: packed.files.map(({ path }) => path) };
  });
}

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'keyrail-packages-'));

/** Creates a new project with only these packages installed. */
export async function install(packed: readonly Packed[], folder: string): Promise<string> {
  const project = join(folder, `project-${packed.map(({ name }) => name).join('-')}`);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "name": "project", "private": true }');
  const flags = ['--offline', '--no-audit', '--no-fund', '--silent'];
  await npm(['install', ...flags, ...packed.map(({ tarball }) => tarball)], project);
  return project;
}

/** Links type packages from the clone into the project. */
export async function linkTypes(project: string, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    const path = join(project, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(modules, name), path);
  }
}

export type Compilation = { files: string[]; compilerOptions: Record<string, unknown> };

/** Returns the compiler's messages; empty if everything compiles. */
export async function compile(
  project: string,
  compilation: Compilation,
  tsc = join(modules, '.bin/tsc'),
): Promise<string> {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022' };
  const compilerOptions = { ...strict, ...compilation.compilerOptions };
  const config = JSON.stringify({ compilerOptions, files: compilation.files });
  await writeFile(join(project, 'tsconfig.json'), config);
  const compiled = await run(tsc, ['-p', project]).catch((error) => error);
  return compiled.stdout;
}

/**
 * Finds the oldest Node.js version that the packages support, if it is installed on this machine.
 */
export async function findNode20(): Promise<string | null> {
  const places = [process.env.KEYRAIL_TEST_NODE20, '/usr/local/bin/node', '/usr/bin/node'];
  for (const path of places) {
    if (!path) continue;
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }));
    if (stdout.startsWith('v20.')) return path;
  }
  return null;
}

export const noNode20 = 'no Node 20 on this machine: set KEYRAIL_TEST_NODE20';

export type Ended = { code: number; stdout: string; stderr: string };

/** Runs a file on the given Node.js. A failing exit code is a result, not an error. */
export async function runOn(node: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: cwd };
  return run(node, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
