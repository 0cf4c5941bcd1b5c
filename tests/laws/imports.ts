/** Reads a source file's imports: what they refer to, and whether they import only types. */
import { posix } from 'node:path';
import { lineAt, type Source } from './tree.ts';

export type Import = {
  specifier: string;
  /** For a relative import, the path of the imported file in the repository. */
  target: string | null;
  typeOnly: boolean;
  /** The local names of what is imported. */
  names: readonly string[];
  line: number;
};

export function importsOf({ path, text, parsed }: Source): Import[] {
  if (parsed === null) return [];
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const at = (start: number, specifier: string, rest: Pick<Import, 'typeOnly' | 'names'>) => {
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
    return { specifier, target, line: lineAt(text, start), ...rest };
  };
  return [
    ...staticImports.map(({ start, moduleRequest, entries }) =>
      at(start, moduleRequest.value, {
        typeOnly:
          text.startsWith('import type', start) ||
          (entries.length > 0 && entries.every(({ isType }) => isType)),
        names: entries.map(({ localName }) => localName.value),
      }),
    ),
    ...staticExports.flatMap(({ start, entries }) => {
      const [first] = entries;
      if (!first?.moduleRequest) return [];
      const typeOnly = entries.every(({ isType }) => isType);
      return [at(start, first.moduleRequest.value, { typeOnly, names: [] })];
    }),
    ...dynamicImports.flatMap(({ start, moduleRequest }) => {
      const written = text.slice(moduleRequest.start, moduleRequest.end);
      const specifier = /^(['"`])(.*)\1$/s.exec(written)?.[2];
      return specifier === undefined ? [] : [at(start, specifier, { typeOnly: false, names: [] })];
    }),
  ];
}
