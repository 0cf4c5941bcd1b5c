/** Reads the imports of a source: where they point, and whether only types cross. */
import { posix } from 'node:path';
import { lineAt } from './lexer.ts';
import type { Source } from './tree.ts';

export type Import = {
  specifier: string;
  /** The imported file's path in the repository, when the import is relative. */
  target: string | null;
  typeOnly: boolean;
  /** `import` and `export … from` clauses, as written. */
  clause: string;
  line: number;
};

const FROM = /\b(import|export)\b([\s\w$*{},]*?)\bfrom\s*(?=['"])/g;
const BARE = /\bimport\s*\(?\s*(?=['"`])/g;

export function importsOf({ path, text, code }: Source): Import[] {
  const at = (offset: number, clause: string): Import => {
    const specifier = text.slice(offset + 1, text.indexOf(text[offset] ?? '', offset + 1));
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
    return { specifier, target, typeOnly: isTypeOnly(clause), clause, line: lineAt(text, offset) };
  };
  return [
    ...[...code.matchAll(FROM)].map((one) => at(one.index + one[0].length, one[2] ?? '')),
    ...[...code.matchAll(BARE)].map((one) => at(one.index + one[0].length, '')),
  ];
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = clause.match(/^\s*\{(.*)\}\s*$/s)?.[1];
  if (names === undefined) return false;
  const each = names.split(',').filter((name) => name.trim() !== '');
  return each.length > 0 && each.every((name) => /^\s*type\s/.test(name));
}
