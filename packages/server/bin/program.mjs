// The server's program as a few files in dist/program. From its sources, a thousand modules, a
// start takes a third longer. Plain JavaScript without dependencies, as keyrail-server.js needs it.
// Run by itself, it builds the program if that is stale.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const HOME = 'packages/server';
const DIST = `${HOME}/dist/program`;
const STAMP = 'made-from';
const SOURCES = [
  ...['server', 'protocol', 'reference'].flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  ]),
  `${HOME}/bin`,
  'package-lock.json',
];
/** The second one is started by the server as a program of its own. */
const ENTRIES = ['main.ts', 'backup-program.ts'];

/** The file to run: of the program, or of the sources if the program was made from others. */
export const mainIn = (root) =>
  isProgramStale(root) ? join(root, HOME, 'src/main.ts') : join(root, DIST, 'main.js');

export function isProgramStale(root) {
  try {
    return readFileSync(join(root, DIST, STAMP), 'utf8') !== checksum(root, SOURCES);
  } catch {
    return true;
  }
}

/** Builds in a new folder and then renames it, so that a half-finished build is never run. */
export async function buildProgram(root) {
  const dist = dirname(join(root, DIST));
  const stamp = checksum(root, SOURCES);
  mkdirSync(dist, { recursive: true });
  const out = mkdtempSync(join(dist, '.building-'));
  try {
    await bundle(join(root, HOME, 'src'), out);
    writeFileSync(join(out, STAMP), stamp);
    // mkdtemp makes folders that only their owner can read.
    chmodSync(out, 0o755);
    rmSync(join(root, DIST), { recursive: true, force: true });
    renameSync(out, join(root, DIST));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function bundle(sources, outdir) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ENTRIES.map((name) => join(sources, name)),
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

/** Of names and contents. Times of files say nothing after a copy or a checkout. */
export function checksum(root, paths) {
  const sum = createHash('sha256');
  for (const path of paths) {
    for (const file of sourceFiles(root, path)) {
      sum.update(`${file}\n`).update(readFileSync(join(root, file)));
    }
  }
  return sum.digest('hex');
}

/** The file itself, or all files below the folder except tests; none if it does not exist. */
function sourceFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found && !path.endsWith('.test.ts') ? [path] : [];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => sourceFiles(root, `${path}/${name}`));
}

if (process.argv[1] === self) {
  const root = join(dirname(self), '../../..');
  if (isProgramStale(root)) await buildProgram(root);
}
