/**
 * Builds everything browsers receive, into packages/dashboard/dist: the dashboard with hashed
 * assets, the page that loads them, the metafile for the size tests, and the widget as one script.
 * Everything is also compressed. Run directly, it builds only if the existing build is stale; with
 * `--gallery <folder>`, it builds the page that shows all elements, for tests. Plain JavaScript,
 * because setup runs it on any Node.js version.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildFolder, checksum } from '../packages/server/bin/built-folder.mjs';
// biome-ignore lint/correctness/useImportExtensions: its types are in a file next to it
import { widgetOptions } from './widget-options.mjs';

const HOME = 'packages/dashboard';
export const BROWSER_SOURCES = [
  `${HOME}/src`,
  `${HOME}/index.html`,
  `${HOME}/package.json`,
  'packages/widget/src',
  'packages/client/src',
  'packages/protocol/src/wire',
  'scripts/build-browser.mjs',
  'scripts/widget-options.mjs',
];
const COMPRESSED_TYPES = /\.(js|css|svg)$/;
const TARGET = ['chrome120', 'firefox121', 'safari17.2'];

/** True if there is no build, or if it was made from different sources. */
export function isBrowserStale(root) {
  try {
    return (
      readFileSync(join(root, HOME, 'dist/made-from'), 'utf8') !== checksum(root, BROWSER_SOURCES)
    );
  } catch {
    return true;
  }
}

export async function buildBrowser(root) {
  const home = join(root, HOME);
  const stamp = checksum(root, BROWSER_SOURCES);
  await buildFolder(join(home, 'dist'), async (out) => {
    await Promise.all([bundleDashboard({ home, out }), bundleWidget(root, out)]);
    await Promise.all([out, join(out, 'assets')].map(compressAll));
    writeFileSync(join(out, 'made-from'), stamp);
  });
}

/**
 * The development build: quick, readable and not compressed. Everything else treats it as stale.
 */
export async function buildDraft(root) {
  const home = join(root, HOME);
  await buildFolder(join(home, 'dist'), (out) =>
    Promise.all([bundleDashboard({ home, out, isDraft: true }), bundleWidget(root, out)]),
  );
}

/** With `forGallery`, builds the page that shows all elements instead, which only tests use. */
async function bundleDashboard({ home, out, forGallery = false, isDraft = false }) {
  const { build } = await import('esbuild');
  const assets = join(out, 'assets');
  const entry = forGallery ? 'test/gallery/gallery.tsx' : 'src/main.tsx';
  mkdirSync(assets, { recursive: true });
  const shared = {
    absWorkingDir: home,
    outdir: assets,
    bundle: true,
    minify: !isDraft,
    sourcemap: isDraft && 'inline',
    metafile: true,
    target: TARGET,
    conditions: ['keyrail-source'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/assets/',
    loader: { '.woff2': 'file', '.svg': 'file' },
    logLevel: 'warning',
  };
  const workers = await build({ ...shared, entryPoints: workersIn(home), format: 'iife' });
  const first = await build({ ...shared, entryPoints: ['src/first.ts'], format: 'iife' });
  const main = await build({
    ...shared,
    entryPoints: [entry],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', WORKER_URLS: urlsOf(workers.metafile) },
  });
  dropExtraStyles(main.metafile, home);
  const template = readFileSync(join(home, 'index.html'), 'utf8');
  const page = pageOf(template, { main: main.metafile, first: first.metafile }, entry);
  writeFileSync(join(out, forGallery ? 'gallery.html' : 'index.html'), page);
  if (!forGallery) writeFileSync(join(out, 'metafile.json'), JSON.stringify(main.metafile));
}

/** A single file, because pages on other origins load it with one tag. */
async function bundleWidget(root, out) {
  const { build } = await import('esbuild');
  const outfile = join(out, 'widget.js');
  const entry = join(root, 'packages/widget/src/served.ts');
  await build({ ...widgetOptions(root), entryPoints: [entry], outfile });
}

function workersIn(home) {
  const folder = join(home, 'src/workers');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^[\w-]+\.ts$/.test(name)).map((name) => `src/workers/${name}`);
}

/**
 * Each worker's file name in the build, keyed by the name of its source file, as JSON for `define`.
 */
function urlsOf({ outputs }) {
  const built = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint);
  return JSON.stringify(
    Object.fromEntries(
      built.map(([file, { entryPoint }]) => [basename(entryPoint, '.ts'), urlOf(file)]),
    ),
  );
}

const urlOf = (file) => `/assets/${basename(file)}`;

const outputOf = ({ outputs }, entry) =>
  Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);

/**
 * An entry's style sheet contains the rules of all its chunks, so the chunks' own style sheets
 * aren't needed.
 */
function dropExtraStyles({ outputs }, home) {
  const kept = new Set(
    Object.values(outputs)
      .filter(({ entryPoint }) => /\/(main|gallery)\.tsx$/.test(entryPoint ?? ''))
      .map(({ cssBundle }) => cssBundle),
  );
  for (const file of Object.keys(outputs)) {
    if (!file.endsWith('.css') || kept.has(file)) continue;
    rmSync(join(home, file), { force: true });
    delete outputs[file];
  }
}

/**
 * The page that loads an entry. It preloads the chunks that the entry imports, to save a round
 * trip.
 */
function pageOf(template, { main, first }, entry) {
  const [script, output] = outputOf(main, entry);
  const [firstScript] = outputOf(first, 'src/first.ts');
  const font = Object.keys(main.outputs).find((file) => /inter-latin[^/]*\.woff2$/.test(file));
  const icon = Object.keys(main.outputs).find((file) => basename(file).startsWith('icon-live-'));
  const values = {
    first: urlOf(firstScript),
    style: urlOf(output.cssBundle),
    font: urlOf(font),
    icon: urlOf(icon),
    main: urlOf(script),
    preloads: staticImports(main, script)
      .map((file) => `<link rel="modulepreload" href="${urlOf(file)}" />`)
      .join('\n    '),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

function staticImports({ outputs }, from) {
  const found = new Set();
  const follow = (file) => {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(path) || !outputs[path]) continue;
      found.add(path);
      follow(path);
    }
  };
  follow(from);
  return [...found];
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

async function compressAll(folder) {
  const names = readdirSync(folder).filter((name) => COMPRESSED_TYPES.test(name));
  await Promise.all(names.map((name) => compress(join(folder, name))));
}

async function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [small, zipped] = await Promise.all([
    toBrotli(bytes, { params }),
    toGzip(bytes, { level: 9 }),
  ]);
  writeFileSync(`${file}.br`, small);
  writeFileSync(`${file}.gz`, zipped);
}

const self = fileURLToPath(import.meta.url);

if (process.argv[1] === self) {
  const root = join(dirname(self), '..');
  const [, , word, out] = process.argv;
  if (word === '--gallery')
    await bundleDashboard({ home: join(root, HOME), out, forGallery: true });
  else if (isBrowserStale(root)) await buildBrowser(root);
}
