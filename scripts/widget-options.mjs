/**
 * How esbuild builds the widget, for the server and for the published package: with its style sheet
 * as text, and with the globals that the page had when the script was loaded.
 */
import { join } from 'node:path';

const TARGET = ['chrome123', 'firefox125', 'safari17.5'];

export const widgetOptions = (root) => ({
  bundle: true,
  minify: true,
  format: 'esm',
  // Module scripts are always read as UTF-8, and escapes would make the German strings longer.
  charset: 'utf8',
  platform: 'browser',
  target: TARGET,
  // Overrides tsconfig.json, whose settings are for the type checker.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  jsx: 'transform',
  jsxFactory: 'element',
  jsxFragment: 'fragment',
  conditions: ['keyrail-source'],
  inject: ['captured', 'jsx'].map((name) => join(root, `packages/widget/src/${name}.ts`)),
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [styleAsText, withoutReceipts],
  logLevel: 'warning',
});

/**
 * The client loads its code for receipts on demand, but the widget never does. It is left out,
 * because esbuild would otherwise wrap all other code.
 */
const withoutReceipts = {
  name: 'without-receipts',
  setup({ onResolve }) {
    onResolve({ filter: /\/verify-receipt\.ts$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : null,
    );
  },
};

/** A shadow root needs its style sheet as text, with imports resolved. */
const styleAsText = {
  name: 'style-as-text',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles, metafile } = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        target: TARGET,
      });
      const watchFiles = Object.keys(metafile.inputs);
      return { contents: outputFiles[0].text, loader: 'text', watchFiles };
    });
  },
};
