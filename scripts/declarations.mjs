/**
 * Writes a published package's declarations. The compiler first declares each source file on its
 * own. Then imports get the file extensions that users' compilers expect, the protocol's
 * declarations are copied in, and files that no entry point imports are left out. The result must
 * not import zod or any of our other packages.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const TSC_MS_MAX = 120_000;
/** Compilers before TypeScript 5.7 don't support this type argument. */
const TYPED_ARRAY = /\bUint8Array<ArrayBuffer(Like)?>/g;
/** A module specifier: the quoted text after `from` or `import`. */
const SPECIFIER = /(?<=(?:from|import)\s*\(?\s*['"])[^'"]+(?=['"])/g;

export async function declarePackage({ root, home, out, entries }) {
  await compile(root, ['-p', join(home, 'tsconfig.build.json'), '--outDir', `${out}-all`]);
  await publish({ root, from: `${out}-all`, out, entries });
}

/**
 * The client's endpoint types come from published-types.ts, where the compiler has resolved them.
 */
export async function declareClient({ root, home, out, entries }) {
  const all = `${out}-all`;
  const [summaries] = await Promise.all([
    readSummaries(root, `${out}-protocol.mjs`),
    compile(root, ['-p', join(home, 'tsconfig.build.json'), '--outDir', all]),
  ]);
  const resolved = readFileSync(join(all, 'published-types.d.ts'), 'utf8')
    .replace('export declare const endpoints:', 'export type Endpoints =')
    .replace('export declare const errorCodes:', 'export type ErrorCodes =');
  writeFileSync(join(all, 'src/endpoints.d.ts'), resolved);
  const names = 'protocol/wire/methods.d.ts';
  const methods = join(all, 'src', names);
  await declareProtocol(root, join(all, 'src'), names);
  writeFileSync(methods, withSummaries(readFileSync(methods, 'utf8'), summaries));
  await publish({ root, from: join(all, 'src'), out, entries });
  rmSync(all, { recursive: true });
}

async function compile(root, args) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, ...args], { timeout: TSC_MS_MAX });
  } catch (error) {
    throw new Error(`tsc ${args.join(' ')} failed:\n${error.stdout || error.message}`);
  }
}

/** Copies every declaration reachable from the entry points. */
async function publish({ root, from, out, entries }) {
  const waiting = entries.map((path) => path.replace(/\.js$/, '.d.ts'));
  const seen = new Set(waiting);
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (path.startsWith('protocol/') && !existsSync(join(from, path))) {
      await declareProtocol(root, from, path);
    }
    const declared = readFileSync(join(from, path), 'utf8').replace(TYPED_ARRAY, 'Uint8Array');
    const text = declared.replace(SPECIFIER, (specifier) => {
      const target = targetOf(path, specifier);
      if (target === null) return specifier;
      if (!seen.has(target)) waiting.push(target);
      seen.add(target);
      const to = relative(dirname(path), target).replace(/\.d\.ts$/, '.js');
      return to.startsWith('.') ? to : `./${to}`;
    });
    if (/['"](@keyrail\/|zod)/.test(text)) throw new Error(`${path} imports the protocol or zod`);
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  }
  rmSync(from, { recursive: true });
}

/** Returns the declaration file an import resolves to; null for third-party packages. */
function targetOf(path, specifier) {
  const [, ours] = /^@keyrail\/protocol\/(.+)\.ts$/.exec(specifier) ?? [];
  if (ours) return `protocol/${ours}.d.ts`;
  if (!specifier.startsWith('.')) return null;
  return join(dirname(path), specifier).replace(/\.(ts|js)$/, '.d.ts');
}

async function declareProtocol(root, from, path) {
  const folder = join(root, 'packages/protocol/src');
  const config = join(from, 'tsconfig.protocol.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: folder,
    outDir: join(from, 'protocol'),
  };
  const files = [join(folder, path.replace('protocol/', '').replace(/\.d\.ts$/, '.ts'))];
  const extended = join(root, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ extends: extended, compilerOptions, files, include: [] }));
  await compile(root, ['-p', config]);
}

/** Reads every endpoint's summary and description, keyed by method and path. */
async function readSummaries(root, file) {
  const { build } = await import('esbuild');
  const entry = join(root, 'packages/protocol/src/endpoints/all.ts');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const { allEndpoints } = await import(pathToFileURL(file).href);
  rmSync(file);
  return allEndpoints;
}

/** Documents each method of a resource, so that editors show what the method does. */
const withSummaries = (text, endpoints) =>
  text.replace(/^( *)readonly \w+: ['"]([A-Z]+ \/[^'"]*)['"];$/gm, (row, indent, endpoint) => {
    const { summary, description } = endpoints[endpoint];
    const lines = [`${summary}.`, ...(description ? [description] : []), '', `\`${endpoint}\``];
    const comment = lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n');
    return `${indent}/**\n${comment}\n${indent} */\n${row}`;
  });
