/**
 * Exports that no other file imports. Tests count as importers, because an export may exist for its
 * test. For constants in `protocol/wire`, only product files count, because a limit that only a
 * test reads has no effect. Entry points of published packages are exempt.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Fault, isTest, lineAt, type Source } from './tree.ts';

type Use = { file: string; name: string; isByTest: boolean };

/** A namespace import or dynamic import may use every export. */
const EVERY = '*';
const WIRE = 'packages/protocol/src/wire/';

export function unusedExports(all: readonly Source[], entries: ReadonlySet<string>): Fault[] {
  const uses = new Map<string, Use[]>();
  for (const use of all.flatMap(usesOf)) {
    uses.set(use.file, [...(uses.get(use.file) ?? []), use]);
  }
  const patterns = [...uses.keys()].filter((file) => file.includes('${'));
  const usesFor = (path: string) =>
    [path, ...patterns.filter((pattern) => fits(pattern, path))].flatMap(
      (file) => uses.get(file) ?? [],
    );
  return all
    .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !path.endsWith('.test.ts'))
    .filter(({ path }) => !entries.has(path))
    .flatMap((source) => unusedIn(source, usesFor(source.path)));
}

/** A dynamic import with a variable in its path uses every file it might load. */
function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((part, at) => part.includes('${') || part === parts[at])
  );
}

function unusedIn({ path, text, parsed }: Source, uses: readonly Use[]): Fault[] {
  if (parsed === null) return [];
  const isUsed = (exported: string) => {
    const countsTests = !(path.startsWith(WIRE) && /^[A-Z_]+$/.test(exported));
    return uses.some(
      ({ name, isByTest }) => (name === exported || name === EVERY) && (countsTests || !isByTest),
    );
  };
  return parsed.module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName: { name }, start }) =>
      name === null || isUsed(name)
        ? []
        : [{ path, line: lineAt(text, start), says: `no other file imports ${name}` }],
    );
}

/** Returns the names that a source file imports or re-exports from others. */
function usesOf({ path, text, parsed }: Source): Use[] {
  if (parsed === null) return [];
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const isByTest = isTest(path);
  const use = (specifier: string, name: string | null): Use[] => {
    const file = fileOf(path, specifier);
    return file === null ? [] : [{ file, name: name ?? EVERY, isByTest }];
  };
  return [
    ...staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.flatMap(({ importName }) => use(moduleRequest.value, importName.name)),
    ),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, importName }) =>
        moduleRequest ? use(moduleRequest.value, importName.name) : [],
      ),
    ),
    ...dynamicImports.flatMap(({ moduleRequest }) =>
      use(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), EVERY),
    ),
  ];
}

/** Returns the imported file in this repository; null for third-party packages. */
function fileOf(path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const [, name, file] = /^@keyrail\/([^/]+)(?:\/(.*\.ts))?$/.exec(specifier) ?? [];
  if (name === undefined) return null;
  return `packages/${name}/src/${file ?? 'index.ts'}`;
}

/**
 * Returns the source files behind a published package's `exports`, and the programs' main files.
 */
export function entryPoints(root: string): Set<string> {
  const entries = ['server', 'cli', 'edge'].map((name) => `packages/${name}/src/main.ts`);
  // The build replaces global names with what these files export.
  entries.push('packages/widget/src/captured.ts', 'packages/widget/src/jsx.ts');
  for (const name of ['sdk', 'client', 'widget']) {
    const text = readFileSync(posix.join(root, 'packages', name, 'package.json'), 'utf8');
    for (const [, file] of text.matchAll(/"keyrail-source": "\.\/(.*?)"/g)) {
      entries.push(`packages/${name}/${file}`);
    }
  }
  return new Set(entries);
}
