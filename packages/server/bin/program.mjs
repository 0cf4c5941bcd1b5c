// Bundles the server into a few files, in a folder under dist/ named after the sources' checksum.
// Starting from the thousand or so source modules would take a second longer. Plain JavaScript
// without dependencies, because keyrail-server.js imports it. Run as a script, this file builds the
// program if there is no build of the current sources.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFolder, checksum } from './built-folder.mjs';

const self = fileURLToPath(import.meta.url);
const HOME = 'packages/server';
const DIST = `${HOME}/dist`;
const PREFIX = 'program-';
const SUM_CHARS = 16;
/**
 * How many builds to keep: a server that is still running during an upgrade loads files from the
 * older build it was started from.
 */
const KEPT = 3;
const SOURCES = [
  ...['server', 'protocol', 'reference'].flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  `${HOME}/bin`,
  'package-lock.json',
];
/** The entry points. The server runs the second one in a separate process. */
const ENTRIES = [
  { in: 'main.ts', out: 'main' },
  { in: 'backup/task-program.ts', out: 'task-program' },
];

/** The folder of the program built from the current sources. */
const placeOf = (root) => join(root, DIST, PREFIX + checksum(root, SOURCES).slice(0, SUM_CHARS));

/** The file to run: the built program, or the sources if they have not been built. */
export function mainIn(root) {
  const main = join(placeOf(root), 'main.js');
  return existsSync(main) ? main : join(root, HOME, 'src/main.ts');
}

export const isProgramMissing = (root) => !existsSync(placeOf(root));

export async function buildProgram(root) {
  await buildFolder(placeOf(root), (out) => bundle(join(root, HOME, 'src'), out));
  removeOld(join(root, DIST));
}

function removeOld(dist) {
  const programs = readdirSync(dist)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ path: join(dist, name), madeMs: statSync(join(dist, name)).mtimeMs }))
    .sort((one, other) => other.madeMs - one.madeMs);
  for (const { path } of programs.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

async function bundle(sources, outdir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ENTRIES.map((entry) => ({ ...entry, in: join(sources, entry.in) })),
    outdir,
    // Modules that a command imports dynamically go into separate files.
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['keyrail-source'],
    sourcemap: 'linked',
    sourcesContent: false,
    // The first two load other files from their own folders; pg-native is never installed.
    external: ['@electric-sql/pglite', '@node-rs/*', 'pg-native'],
    // CommonJS packages call require().
    banner: {
      js: `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`,
    },
    plugins: [requiresHttp],
    logLevel: 'warning',
  });
}

/**
 * Importing node:http reads all of its exports, which loads Node.js's fetch and adds 60 ms to
 * startup. So node:http is loaded with require() instead.
 */
const requiresHttp = {
  name: 'requires-http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : null,
    );
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

if (process.argv[1] === self) {
  const root = join(dirname(self), '../../..');
  if (isProgramMissing(root)) await buildProgram(root);
}
