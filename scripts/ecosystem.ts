/**
 * Tests the packed SDK with frameworks that have no adapter of their own, and on other runtimes.
 * All frameworks and runtimes are installed from npm. The results are in a table in
 * docs/frameworks.md.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm, type Packed, root } from './packing.ts';

const PACKAGES = {
  '@orpc/server': '1.15.3',
  '@trpc/server': '11.25.2',
  bun: '1.4.4',
  deno: '2.9.6',
  elysia: '1.4.30',
  graphql: '16.14.2',
  'graphql-yoga': '5.24.1',
  h3: '2.0.8',
  'h3-1': 'npm:h3@1.15.11',
  react: '19.3.1',
  'react-router': '7.18.0',
};
const RUN_MS_MAX = 60_000;

const FRAMEWORKS = ['h3', 'h3 1', 'trpc', 'orpc', 'elysia', 'yoga', 'react-router'];

/** The output expected from every combination of framework and runtime. */
const EXPECTED = JSON.stringify({
  allowed: [200, true],
  denied: [403, 401],
  replayed: true,
  charges: 1,
  revoked: 401,
});

type Line = { title: string; report: string };

export async function ecosystem(sdk: Packed, folder: string): Promise<Line[]> {
  const project = join(folder, 'ecosystem');
  await mkdir(project);
  const dependencies = { ...PACKAGES, '@keyrail/sdk': `file:${sdk.tarball}` };
  const manifest = { private: true, type: 'module', dependencies };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'], project);
  await cp(join(root, 'packages/sdk/test/ecosystem.mjs'), join(project, 'ecosystem.mjs'));
  const node = [process.execPath];
  const { bunPackage, denoPackage } = binaries();
  const bun = [join(project, 'node_modules', bunPackage, 'bin/bun')];
  const deno = [join(project, 'node_modules', denoPackage, 'deno'), 'run', '-A'];
  const runs = [
    ...FRAMEWORKS.map((name) => ({ title: name, command: node, name })),
    { title: 'Bun: Bun.serve', command: bun, name: 'bun' },
    { title: 'Bun: node:http', command: bun, name: 'node:http' },
    { title: 'Deno: Deno.serve', command: deno, name: 'deno' },
    { title: 'Deno: node:http', command: deno, name: 'node:http' },
  ];
  const lines: Line[] = [];
  for (const { title, command, name } of runs) {
    lines.push({ title, report: await reportOf(project, [...command, 'ecosystem.mjs', name]) });
  }
  return lines;
}

/**
 * The packages that contain Bun and Deno for this platform. These are run from the packages,
 * because the install scripts that would link them are skipped.
 */
const binaries = () =>
  process.arch === 'arm64'
    ? { bunPackage: '@oven/bun-linux-aarch64', denoPackage: '@deno/linux-arm64-glibc' }
    : { bunPackage: '@oven/bun-linux-x64', denoPackage: '@deno/linux-x64-glibc' };

/** Returns a run's output, or an empty string if it is as expected. */
async function reportOf(project: string, [program = '', ...args]: string[]): Promise<string> {
  const options = { cwd: project, timeout: RUN_MS_MAX };
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch((error) => ({
    stdout: '',
    stderr: error.stderr || error.message,
  }));
  return stdout.trim() === EXPECTED ? '' : `${stdout}${stderr}` || 'It printed nothing.';
}
