// A build of the package, with code of a page around it, as the bundler of a vendor makes one.
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
// biome-ignore lint/correctness/useImportExtensions: its types are in a file beside it
import { widgetOptions } from '../../../scripts/widget-options.mjs';

const root = join(import.meta.dirname, '../../..');

/** Imports of the code are relative to the folder of the sources. */
export async function bundled(code: string, more: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...widgetOptions(root),
    stdin: { contents: code, resolveDir: join(root, 'packages/widget/src'), loader: 'ts' },
    write: false,
    ...more,
  });
  return outputFiles?.[0]?.text ?? '';
}
