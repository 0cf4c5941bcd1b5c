/**
 * Constructs that save lines but are hard to read: spreading a literal into a literal, and
 * declaring several variables through an array.
 */
import { Visitor } from 'oxc-parser';
import { type Fault, lineAt, type Source } from './tree.ts';

export function shapeFaults({ path, text, parsed }: Source): Fault[] {
  if (parsed === null) return [];
  const faults: Fault[] = [];
  const add = (start: number, says: string) =>
    faults.push({ path, line: lineAt(text, start), says });
  new Visitor({
    SpreadElement({ argument, start }) {
      if (argument.type === 'ObjectExpression' || argument.type === 'ArrayExpression') {
        add(start, 'spreads a literal into a literal: write its members directly');
      }
    },
    VariableDeclarator({ id, init, start }) {
      if (id.type === 'ArrayPattern' && init?.type === 'ArrayExpression') {
        add(start, 'declares several variables through one array: declare each separately');
      }
    },
  }).visit(parsed.program);
  return faults;
}
