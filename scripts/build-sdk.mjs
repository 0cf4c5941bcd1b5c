/**
 * Makes the published form of the SDK: ESM and CommonJS for Node 20 and later, with declarations,
 * and with the protocol's key format inside. Plain JavaScript, because setup runs it on whatever
 * Node there is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const TSC_MS_MAX = 120_000;

/** What the build was made from, or null when there is none. */
export const madeFrom = (root) => readText(join(root, 'packages/sdk/dist/made-from'));

/** What it should be made from: the very sources, and the script that builds them. */
export function sourcesOfSdk(root) {
  const sum = createHash('sha256');
  const files = [
    ...filesIn(join(root, 'packages/sdk/src'), '.ts').filter((name) => !name.endsWith('.test.ts')),
    ...['package.json', 'tsconfig.build.json'].map((name) => join(root, 'packages/sdk', name)),
    join(root, 'packages/protocol/src/key-format.ts'),
    join(root, 'scripts/build-sdk.mjs'),
  ];
  for (const file of files) sum.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  return sum.digest('hex');
}

/** Builds aside and swaps it in, so that nobody ever loads half of it. */
export async function buildSdk(root) {
  const home = join(root, 'packages/sdk');
  const stamp = sourcesOfSdk(root);
  const aside = mkdtempSync(join(home, '.building-'));
  try {
    await bundle(home, join(aside, 'esm'), 'esm');
    await bundle(home, join(aside, 'cjs'), 'cjs');
    declare(root, join(aside, 'esm'));
    const isDeclaration = (path) => !/\.(js|map)$/.test(path);
    cpSync(join(aside, 'esm'), join(aside, 'cjs'), { recursive: true, filter: isDeclaration });
    writeFileSync(join(aside, 'cjs/package.json'), '{ "type": "commonjs" }\n');
    writeFileSync(join(aside, 'made-from'), stamp);
    rmSync(join(home, 'dist'), { recursive: true, force: true });
    renameSync(aside, join(home, 'dist'));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function bundle(home, outdir, format) {
  const { build } = await import('esbuild');
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const entries = Object.values(exports).map(({ import: path }) =>
    join(home, path.replace('./dist/esm', 'src').replace(/\.js$/, '.ts')),
  );
  await build({
    entryPoints: entries,
    outbase: join(home, 'src'),
    outdir,
    format,
    bundle: true,
    splitting: format === 'esm',
    platform: 'node',
    target: 'node20',
    // The frameworks are the vendor's own.
    external: ['express', 'fastify', 'hono', 'koa', 'next', '@nestjs/*'],
    logLevel: 'warning',
  });
}

function declare(root, outDir) {
  const config = join(root, 'packages/sdk/tsconfig.build.json');
  const tsc = join(root, 'node_modules/.bin/tsc');
  const ended = spawnSync(tsc, ['-p', config, '--outDir', outDir], {
    encoding: 'utf8',
    timeout: TSC_MS_MAX,
    shell: process.platform === 'win32',
  });
  if (ended.status !== 0) throw new Error(`the SDK does not compile:\n${ended.stdout}`);
  // The compiler rewrites the endings of imports in code, but not in declarations.
  for (const file of filesIn(outDir, '.d.ts')) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/(from|import\() ?'(\.[^']+)\.ts'/g, "$1 '$2.js'"));
  }
}

function filesIn(folder, ending) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path, ending);
      return entry.name.endsWith(ending) ? [path] : [];
    });
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
