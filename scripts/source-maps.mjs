/**
 * Source maps for the published packages. The maps refer to source files within the package, so
 * that stack traces and debuggers can show them wherever it is installed. Plain JavaScript, because
 * setup runs it on any Node.js version.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Options for esbuild. If the maps contained the sources, each bundle would repeat them. */
export const sourceMaps = { sourcemap: 'linked', sourcesContent: false };

/**
 * Copies the sources that the maps in `out` refer to into its `src` folder, and updates the maps.
 */
export function includeSources(root, out) {
  for (const map of readdirSync(out, { recursive: true }).filter((path) => path.endsWith('.map'))) {
    const path = join(out, map);
    const content = JSON.parse(readFileSync(path, 'utf8'));
    content.sources = content.sources.map((source) => {
      const from = resolve(dirname(path), source);
      const to = join(out, 'src', placeOf(relative(root, from)));
      cpSync(from, to);
      return relative(dirname(path), to);
    });
    writeFileSync(path, JSON.stringify(content));
  }
}

/** Renames folders named node_modules, because npm leaves these out of packages. */
const placeOf = (path) => path.replace(/^packages\//, '').replaceAll('node_modules/', 'modules/');
