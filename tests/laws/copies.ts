/**
 * Finds definitions duplicated from protocol/wire: constants and unions with the same name, numbers
 * with the same value and the same last words in their name, durations, and the UUID format. Also
 * finds errors that are recognised by their message, which is meant for people.
 */
import { type Expression, type TSType, Visitor } from 'oxc-parser';
import { type Fault, isTest, lineAt, type Source } from './tree.ts';

const WIRE = 'packages/protocol/src/wire/';

/** Names that protocol/wire exports. For numbers, with their value. */
export type WireNames = ReadonlyMap<string, number | null>;

const isWire = ({ path }: Source): boolean => path.startsWith(WIRE) && !isTest(path);

export const wireNames = (all: readonly Source[]): WireNames =>
  new Map(
    all
      .filter(isWire)
      .flatMap(declared)
      .filter(({ isExported }) => isExported)
      .map(({ name, value }) => [name, value]),
  );

const DURATIONS: Record<string, string> = { 3600000: 'HOUR_MS', 86400000: 'DAY_MS' };
/**
 * Packages that display API values or send what users type. In other packages, a number with the
 * same value may be a limit of their own.
 */
const SHOWS = /^packages\/(dashboard|widget|cli|client)\//;

const UUID = /^\/\^\[(0-9|\\d)a-f-?\](\{8\}.*\{12\}|\{36\})\$\/i?$/;
const COMPARED_MESSAGE =
  /(?<!typeof )(?<!typeof \w+\.)\bmessage\s*[!=]==\s*(?!null\b|undefined\b)['"`A-Z]/g;
/** Files that handle this process's own errors, which have no code. */
const OWN_ERRORS = new Set(['packages/server/src/volatile/breaker.ts']);

export function copyFaults(source: Source, names: WireNames): Fault[] {
  const { path, text, code, parsed } = source;
  if (isTest(path) || isWire(source) || !path.startsWith('packages/')) return [];
  const fault = (start: number, says: string): Fault => ({ path, line: lineAt(text, start), says });
  const faults = declared(source).flatMap(({ name, value, start }) => {
    const copied = copiedName({ path, name, value }, names);
    return copied === null
      ? []
      : [fault(start, `${name} is defined again: import ${copied} from wire/`)];
  });
  if (parsed === null) return faults;
  new Visitor({
    Literal(node) {
      if ('regex' in node && UUID.test(text.slice(node.start, node.end))) {
        faults.push(fault(node.start, 'the UUID format is defined in wire/uuid.ts'));
      }
      const duration = typeof node.value === 'number' ? DURATIONS[node.value] : undefined;
      if (duration === undefined || !SHOWS.test(path)) return;
      faults.push(fault(node.start, `${duration} has a name in wire/durations.ts`));
    },
  }).visit(parsed.program);
  if (OWN_ERRORS.has(path)) return faults;
  const compared = [...code.matchAll(COMPARED_MESSAGE)];
  return [
    ...faults,
    ...compared.map(({ index }) => fault(index, 'compares a message, not a code')),
  ];
}

type Copy = { path: string; name: string; value: number | null };

/** Returns the name in protocol/wire that this name duplicates, or null. */
function copiedName({ path, name, value }: Copy, names: WireNames): string | null {
  const shows = SHOWS.test(path);
  const isSame = names.get(name) === value;
  if (names.has(name) && (shows || isSame)) return name;
  if (!shows || value === null || !name.includes('_')) return null;
  const isEnd = ([wire, one]: [string, number | null]) =>
    one === value && wire.endsWith(`_${name}`);
  return [...names].find(isEnd)?.[0] ?? null;
}

type Declared = { name: string; value: number | null; start: number; isExported: boolean };

/** Finds top-level constants with a literal value, and types that are unions of strings. */
function declared({ path, parsed }: Source): Declared[] {
  return (parsed?.program.body ?? []).flatMap((statement) => {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const node = isExported ? statement.declaration : statement;
    if (node?.type === 'TSTypeAliasDeclaration') {
      const { id, typeAnnotation, start } = node;
      return isUnion(typeAnnotation) || path.startsWith(WIRE)
        ? [{ name: id.name, value: null, start, isExported }]
        : [];
    }
    if (node?.type !== 'VariableDeclaration') return [];
    return node.declarations.flatMap(({ id, init, start }) =>
      id.type === 'Identifier' && init !== null && isWrittenOut(init)
        ? [{ name: id.name, value: numberOf(init), start, isExported }]
        : [],
    );
  });
}

const isUnion = (type: TSType): boolean =>
  type.type === 'TSUnionType' && type.types.every((each) => each.type === 'TSLiteralType');

const WRITTEN_OUT = ['Literal', 'BinaryExpression', 'ArrayExpression', 'NewExpression'];

const isWrittenOut = (value: Expression): boolean =>
  value.type === 'TSAsExpression'
    ? isWrittenOut(value.expression)
    : WRITTEN_OUT.includes(value.type);

const numberOf = (value: Expression): number | null =>
  value.type === 'Literal' && typeof value.value === 'number' ? value.value : null;
