/**
 * Creates the empty embedded database that the server copies into a new data directory:
 * packages/server/dist/empty-database-<PGlite version>. Run directly, it creates one only if none
 * exists. Plain JavaScript, because setup runs it on any Node.js version.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildFolder } from '../packages/server/bin/built-folder.mjs';

const self = fileURLToPath(import.meta.url);
const PREFIX = 'empty-database-';
const MS_MAX = 120_000;

/** PGlite's entry point and version, resolved the way the server resolves them. */
function pglite(root) {
  const entry = createRequire(join(root, 'packages/server/package.json')).resolve(
    '@electric-sql/pglite',
  );
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'));
  return { entry, version };
}

const placeOf = (root) => join(root, 'packages/server/dist', PREFIX + pglite(root).version);

export const isDatabaseMissing = (root) => !existsSync(placeOf(root));

/** Runs in a separate process without WebAssembly optimisation, because that is faster. */
export function buildDatabase(root) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--liftoff-only', self, 'create', root], {
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: MS_MAX,
    });
    process.once('exit', () => child.kill());
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error('The empty database was not created.')),
    );
  });
}

async function create(root) {
  const place = placeOf(root);
  const dist = dirname(place);
  const { PGlite } = await import(pathToFileURL(pglite(root).entry).href);
  await buildFolder(place, async (dataDir) => {
    const lite = await PGlite.create({ dataDir });
    await lite.close();
    rmSync(join(dataDir, 'postmaster.pid'), { force: true });
    // The server may run as a different user, who must be able to read the files.
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    }
  });
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (name.startsWith(PREFIX) && path !== place) rmSync(path, { recursive: true });
  }
}

if (process.argv[1] === self) {
  const [command, given] = process.argv.slice(2);
  const root = given ?? join(dirname(self), '..');
  if (command === 'create') await create(root);
  else if (isDatabaseMissing(root)) await buildDatabase(root);
}
