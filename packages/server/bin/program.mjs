// The server's program as a few files in a folder of dist, whose name is the checksum of what it was
// made from. From its sources, a thousand modules, a start takes a second more. Plain JavaScript
// without dependencies, as keyrail-server.js needs it. Run by itself, it builds a missing program.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFolder, checksum } from './built-folder.mjs';

const self = fileURLToPath(import.meta.url);
const HOME = 'packages/server';
const DIST = `${HOME}/dist`;
const PREFIX = 'program-';
const SUM_CHARS = 16;
/** A server that runs during an upgrade still loads files of its own program. */
const KEPT = 3;
const SOURCES = [
  ...['server', 'protocol', 'reference'].flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  `${HOME}/bin`,
  'package-lock.json',
];
/** The second one is started by the server as a program of its own. */
const ENTRIES = [
  { in: 'main.ts', out: 'main' },
  { in: 'backup/task-program.ts', out: 'task-program' },
];

/** The folder of the program that is made from the sources as they are. */
const placeOf = (root) => join(root, DIST, PREFIX + checksum(root, SOURCES).slice(0, SUM_CHARS));

/** The file to run: of the program, or of the sources if there is no program of them. */
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
    // What a command imports when it runs becomes a file of its own.
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['keyrail-source'],
    sourcemap: 'linked',
    sourcesContent: false,
    // These have files of their own beside their code; pg-native is never installed.
    external: ['@electric-sql/pglite', '@node-rs/*', 'pg-native'],
    // Packages in CommonJS call it.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`,
    },
    plugins: [requiresHttp],
    logLevel: 'warning',
  });
}

/** Importing node:http reads all that it exports, and so loads Node's fetch: 60 ms of a start. */
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
