/**
 * Builds the published packages: the SDK and the client as ESM and CommonJS with declarations, the
 * CLI and Edge as one ESM file each, the widget as ESM for browsers with declarations. None of them
 * has dependencies, because the protocol's code and types are bundled. Plain JavaScript, because
 * setup runs it on any Node.js version.
 */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFolder, checksum } from '../packages/server/bin/built-folder.mjs';
import { declareClient, declarePackage } from './declarations.mjs';
import { includeSources, sourceMaps } from './source-maps.mjs';
// biome-ignore lint/correctness/useImportExtensions: its types are in a file next to it
import { widgetOptions } from './widget-options.mjs';

const recipes = {
  sdk: {
    sources: ['packages/sdk/src', 'packages/protocol/src'],
    build: async (at) => {
      // Frameworks that the SDK's users install themselves.
      const external = ['express', 'fastify', 'hono', 'koa', 'next', '@nestjs/*'];
      await buildLibrary(at, { platform: 'node', external }, declarePackage);
    },
  },
  client: {
    sources: ['packages/client/src', 'packages/client/published-types.ts', 'packages/protocol/src'],
    build: (at) => buildLibrary(at, { platform: 'neutral' }, declareClient),
  },
  cli: {
    sources: ['packages/cli/src', 'packages/client/src', 'packages/protocol/src/wire'],
    build: buildCli,
  },
  edge: {
    sources: ['packages/edge/src', 'packages/sdk/src', 'packages/protocol/src/wire'],
    build: buildEdge,
  },
  widget: {
    sources: [
      'packages/widget/src',
      'packages/client/src',
      'packages/protocol/src/wire',
      'scripts/widget-options.mjs',
    ],
    build: buildWidget,
  },
};

const BUILT_BY = [
  'scripts/build-packages.mjs',
  'scripts/declarations.mjs',
  'scripts/source-maps.mjs',
  'tsconfig.json',
];

/** Packages whose build is missing or was made from different sources. */
export const stalePackages = (root) =>
  Object.keys(recipes).filter((name) => builtFrom(root, name) !== checksumOf(root, name));

export async function buildPackages(root, names) {
  const results = await Promise.allSettled(names.map((name) => buildPackage(root, name)));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function buildPackage(root, name) {
  const home = join(root, 'packages', name);
  const stamp = checksumOf(root, name);
  await buildFolder(join(home, 'dist'), async (out) => {
    await recipes[name].build({ root, home, out });
    includeSources(root, out);
    // Not listed under `files` in package.json, so it isn't published.
    writeFileSync(join(out, 'made-from'), stamp);
  });
}

/** Returns the checksum of the sources the build was made from; null if there is no build. */
function builtFrom(root, name) {
  try {
    return readFileSync(join(root, 'packages', name, 'dist/made-from'), 'utf8');
  } catch {
    return null;
  }
}

function checksumOf(root, name) {
  const manifest = ['package.json', 'tsconfig.build.json'].map(
    (file) => `packages/${name}/${file}`,
  );
  return checksum(root, [...recipes[name].sources, ...manifest, ...BUILT_BY]);
}

async function buildLibrary({ root, home, out }, options, declare) {
  const { build } = await import('esbuild');
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const entries = Object.values(exports)
    .flatMap(({ import: path, 'edge-light': edge }) => (edge ? [path, edge.default] : [path]))
    .map((path) => path.replace('./dist/esm/', ''));
  const bundle = (format) =>
    build({
      entryPoints: entries.map((path) => join(home, 'src', path.replace(/\.js$/, '.ts'))),
      outbase: join(home, 'src'),
      outdir: join(out, format),
      format,
      bundle: true,
      splitting: format === 'esm',
      target: 'node20',
      logLevel: 'warning',
      ...sourceMaps,
      ...options,
    });
  await Promise.all([
    bundle('esm'),
    bundle('cjs'),
    declare({ root, home, out: join(out, 'types'), entries }),
  ]);
  cpSync(join(out, 'types'), join(out, 'esm'), { recursive: true });
  cpSync(join(out, 'types'), join(out, 'cjs'), { recursive: true });
  rmSync(join(out, 'types'), { recursive: true });
  writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n');
}

async function buildCli({ root, home, out }) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(home, 'src/main.ts')],
    outfile: join(out, 'keyrail.js'),
    format: 'esm',
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['keyrail-source'],
    // commander is CommonJS and requires Node.js modules, but ESM has no `require`.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
    ...sourceMaps,
  });
  // The bundle contains commander, whose licence requires that its text be included.
  copyFileSync(join(root, 'node_modules/commander/LICENSE'), join(out, 'LICENSE-commander.txt'));
}

async function buildEdge({ home, out }) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(home, 'src/main.ts')],
    outfile: join(out, 'keyrail-edge.js'),
    format: 'esm',
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['keyrail-source'],
    logLevel: 'warning',
    ...sourceMaps,
  });
}

/** Users of the package install React themselves; Preact and the client are bundled. */
async function buildWidget({ root, home, out }) {
  const { build } = await import('esbuild');
  const entries = ['index.js', 'react.js'];
  await Promise.all([
    build({
      ...widgetOptions(root),
      entryPoints: entries.map((path) => join(home, 'src', path.replace(/\.js$/, '.ts'))),
      outdir: join(out, 'esm'),
      splitting: true,
      external: ['react'],
      ...sourceMaps,
    }),
    declarePackage({ root, home, out: join(out, 'types'), entries }),
  ]);
  cpSync(join(out, 'types'), join(out, 'esm'), { recursive: true });
  rmSync(join(out, 'types'), { recursive: true });
  copyFileSync(join(root, 'node_modules/preact/LICENSE'), join(out, 'esm/LICENSE-preact.txt'));
}
