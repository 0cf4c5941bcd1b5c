/**
 * Source maps for the published packages. The sources are files in the package, referenced by its
 * maps, so that stack traces and debuggers show them wherever it is installed. Plain JavaScript,
 * because setup runs it on any Node.js version.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** esbuild options. A map that contained the sources itself would repeat them in each bundle. */
export const sourceMaps = { sourcemap: 'linked', sourcesContent: false };

/**
 * Copies what the maps in `out` reference into its folder `src`, and makes them reference the
 * copies.
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

/** npm leaves every folder named node_modules out of a package. */
const placeOf = (path) => path.replace(/^packages\//, '').replaceAll('node_modules/', 'modules/');
