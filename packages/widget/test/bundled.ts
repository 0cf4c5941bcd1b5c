// Bundles the package together with a page's code, as a vendor's bundler would.
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
// biome-ignore lint/correctness/useImportExtensions: its types are in a file next to it
import { widgetOptions } from '../../../scripts/widget-options.mjs';

const root = join(import.meta.dirname, '../../..');

/** Imports in the code are resolved relative to the source folder. */
export async function bundled(code: string, more: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...widgetOptions(root),
    stdin: { contents: code, resolveDir: join(root, 'packages/widget/src'), loader: 'ts' },
    write: false,
    ...more,
  });
  return outputFiles?.[0]?.text ?? '';
}
