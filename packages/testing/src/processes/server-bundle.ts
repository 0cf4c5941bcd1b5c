// The server's sources as a few files. A thousand modules take a program a second to load, and the
// tests start hundreds of programs.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { forNode } from './program-bundle.ts';

const SOURCES = join(import.meta.dirname, '../../../server/src');

const MAIN = 'main.ts';
/** The modules that commands and stores import when they are used. */
const LAZY = ['start.ts', 'db/embedded.ts', 'volatile/redis.ts'];
/** Started by the server as a program of its own. */
const BACKUP_PROGRAM = 'backup-program.ts';

const compiled = (folder: string, path: string): string =>
  join(folder, 'server', path.replace(/ts$/, 'js'));

/** The bundle's entry. The folder belongs to one run of the tests, so its sources are the same. */
export const entryIn = (folder: string): string => compiled(folder, MAIN);

export const backupProgramIn = (folder: string): string => compiled(folder, BACKUP_PROGRAM);

/** A module that loads what most programs need. */
export const importsIn = (folder: string): string =>
  LAZY.map((path) => `import ${JSON.stringify(compiled(folder, path))};`).join('');

/** Does nothing if the folder has a bundle. */
export async function bundleServer(folder: string): Promise<void> {
  if (existsSync(entryIn(folder))) return;
  const outdir = await mkdtemp(join(folder, 'bundling-'));
  await build({
    ...forNode,
    entryPoints: [MAIN, BACKUP_PROGRAM, ...LAZY].map((path) => join(SOURCES, path)),
    outbase: SOURCES,
    outdir,
    splitting: true,
    plugins: [staysOutside, knowsItsPlace(folder)],
  });
  // Otherwise Node reads each file twice to find out what kind of module it is.
  await writeFile(join(outdir, 'package.json'), '{"type":"module"}');
  // If two programs do this at once, either result is fine.
  await rename(outdir, dirname(entryIn(folder))).catch(() => rm(outdir, { recursive: true }));
}

const RESOLVED = 'resolved';

/** Packages with files of their own beside the code: the bundle imports them where they are. */
const staysOutside: Plugin = {
  name: 'stays-outside',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^(@electric-sql\/pglite|@node-rs\/)/ }, async (wanted) => {
      const { path, resolveDir, kind, pluginData } = wanted;
      if (pluginData === RESOLVED) return null;
      const found = await resolve(path, { resolveDir, kind, pluginData: RESOLVED });
      return { path: found.path, external: true, errors: found.errors };
    });
    // Optional, and never installed.
    onResolve({ filter: /^pg-native$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * A source finds its files from its own place, not from that of the bundle; but the program that it
 * starts is in the bundle.
 */
const knowsItsPlace = (folder: string): Plugin => ({
  name: 'knows-its-place',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll(
          `join(import.meta.dirname, '${BACKUP_PROGRAM}')`,
          JSON.stringify(backupProgramIn(folder)),
        )
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name: string) =>
          JSON.stringify(resolvedFrom(path, name)),
        );
      return { contents, loader: 'ts' };
    });
  },
});

const resolvedFrom = (file: string, name: string): string =>
  pathToFileURL(createRequire(file).resolve(name)).href;
