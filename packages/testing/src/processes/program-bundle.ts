// A program bundled into one file, for tests that start it many times. Short runs spend most of
// their time loading sources.
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const forNode = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['keyrail-source'],
  logLevel: 'error',
  banner: {
    // Bundled CommonJS packages call `require`.
    js: `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`,
  },
} satisfies BuildOptions;

/** Returns the path of the file, which is written into the folder. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const outfile = join(folder, basename(source).replace(/ts$/, 'mjs'));
  await build({ ...forNode, entryPoints: [source], outfile });
  return outfile;
}
