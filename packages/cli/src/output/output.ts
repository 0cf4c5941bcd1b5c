// Prints results on stdout, and notes and warnings on stderr, so that a pipe receives only results.
// Results are tables for people, JSON for programs (`--json`), or only IDs and secrets (`--quiet`).

import { type Paint, pad, painter, printable } from '../terminal/style.ts';
import { hasColours, type Terminal } from '../terminal/terminal.ts';
import { relative } from '../times.ts';
import { cellOf, type Field, type Format, isEmpty } from './fields.ts';
import type { Names } from './names.ts';
import { tableLines } from './table.ts';

export type OutputOptions = { json: boolean; quiet: boolean; color: boolean };

/** A result with a secret, which is shown only once. */
type NewSecret<T> = {
  /** The API's response, which `--json` prints. */
  answer: unknown;
  one: T;
  fields: readonly Field<T>[];
  secret: string;
  /** What kind of secret it is, such as `key` or `token`; used in messages. */
  what: string;
};

type ListText = {
  /** What to print on stderr if there are no rows. */
  empty: string;
  names?: Names | undefined;
};

type ResultPart = { json: object; ids?: readonly string[]; sentence?: string };

export type Output = {
  /** Whether results are printed for people, rather than as JSON or as IDs only. */
  hasText: boolean;
  list<T extends object>(rows: readonly T[], fields: readonly Field<T>[], text: ListText): void;
  record<T extends object>(one: T, fields: readonly Field<T>[]): void;
  newSecret<T extends object>(created: NewSecret<T>): void;
  /** Prints rows as a table or, with `--json`, prints the response that contained them. */
  table<T extends object>(answer: unknown, rows: readonly T[], fields: readonly Field<T>[]): void;
  /** Prints one sentence that says what was done. */
  report(answer: unknown, sentence: string): void;
  /** Prints one part of a long result: as a line of JSON, as IDs only, or as a sentence. */
  part(part: ResultPart): void;
  /** Prints a response unchanged. */
  answer(body: unknown): void;
  /** Prints a note on stderr, unless `--quiet` is set. */
  note(sentence: string): void;
  warn(sentence: string): void;
};

export function openOutput(terminal: Terminal, options: OutputOptions): Output {
  const { stdout, stderr } = terminal;
  const isTTY = stdout.isTTY === true;
  const paint = painter(hasColours(terminal, stdout, options.color));
  const paintErr = painter(hasColours(terminal, stderr, options.color));
  const width = isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  };
  const printErr = (lines: readonly string[]) => stderr.write(`${lines.join('\n')}\n`);
  const relativeTimes = isTTY ? relativeFormat(terminal.now()) : exactFormat(terminal.now());
  const exactTimes = isTTY ? bothFormat(terminal.now()) : exactFormat(terminal.now());

  const output: Output = {
    hasText: !options.json && !options.quiet,
    list(rows, fields, { empty, names }) {
      if (options.json) return print([jsonText(rows)]);
      const shown = fields.filter(({ only }) => only !== 'record');
      const idsOf = () => rows.map((row) => idOf(row) ?? firstOf(row, shown, relativeTimes));
      if (options.quiet) return print(idsOf());
      if (rows.length === 0) return output.note(empty);
      const format = names ? withNames(relativeTimes, names) : relativeTimes;
      print(tableLines(sheetOf(rows, shown, format), width, paint));
    },
    record(one, fields) {
      if (options.json) print([jsonText(one)]);
      else if (options.quiet) print([idOf(one) ?? firstOf(one, fields, exactTimes)]);
      else print(recordLines(one, fields, { format: exactTimes, paint }));
    },
    newSecret({ answer, one, fields, secret, what }) {
      const detailsIn = (colours: Paint) =>
        recordLines(one, fields, { format: exactTimes, paint: colours });
      if (options.json) print([jsonText(answer)]);
      else if (options.quiet || !isTTY) print([secret]);
      else print([...detailsIn(paint), '', paint('bold', secret)]);
      if (options.quiet) return;
      // In a pipe, only the secret goes to stdout; its details go to stderr.
      if (!options.json && !isTTY) printErr(detailsIn(paintErr));
      printErr([paintErr('yellow', `Save the ${what} now. It is shown only once.`)]);
    },
    table(answer, rows, fields) {
      if (options.json) print([jsonText(answer)]);
      else output.list(rows, fields, { empty: 'No rows.' });
    },
    report(answer, sentence) {
      if (options.json) print([jsonText(answer)]);
      else if (!options.quiet) print([printable(sentence)]);
    },
    part({ json, ids = [], sentence }) {
      if (options.json) print([jsonText(json, 0)]);
      else if (options.quiet) print(ids);
      else if (sentence !== undefined) print([printable(sentence)]);
    },
    answer: (body) => {
      const text = typeof body === 'string' && isTTY ? linesOf(body) : body;
      if (body !== null) print([typeof text === 'string' ? text : jsonText(text)]);
    },
    note: (sentence) => {
      if (!options.quiet) printErr([paintErr('dim', printable(sentence))]);
    },
    warn: (sentence) => void printErr([paintErr('yellow', printable(sentence))]),
  };
  return output;
}

/** JSON leaves C1 control characters unescaped, and some terminals interpret them. */
const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );

const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');

function sheetOf<T>(rows: readonly T[], fields: readonly Field<T>[], format: Format) {
  const cells = rows.map((row) =>
    fields.map((field) => {
      const cell = cellOf(field, row, format);
      return { ...cell, text: printable(cell.text) };
    }),
  );
  return { columns: fields, rows: cells };
}

function recordLines<T>(
  one: T,
  fields: readonly Field<T>[],
  { format, paint }: { format: Format; paint: Paint },
): string[] {
  const printed = fields.filter(
    (field) => field.only !== 'list' && !(field.ifAny && isEmpty(field.of(one, format))),
  );
  const width = Math.max(...printed.map(({ title }) => title.length));
  return printed.map((field) => {
    const { text, tone } = cellOf(field, one, format);
    return `${paint('dim', pad(field.title, width))}  ${paint(tone, printable(text))}`;
  });
}

function idOf(one: object): string | null {
  const id = Reflect.get(one, 'id') ?? Reflect.get(one, 'user_id');
  return typeof id === 'string' ? id : null;
}

function firstOf<T>(one: T, [field]: readonly Field<T>[], format: Format): string {
  return field ? printable(cellOf(field, one, format).text) : '';
}

const asGiven = (id: string): string => id;

const withNames = (format: Format, names: Names): Format => ({
  ...format,
  nameOf: (id) => names.get(id) ?? id,
});

const relativeFormat = (now: Date): Format => ({
  now,
  time: (iso) => (iso === null ? null : relative(iso, now)),
  nameOf: asGiven,
});

const exactFormat = (now: Date): Format => ({ now, time: (iso) => iso, nameOf: asGiven });

const bothFormat = (now: Date): Format => ({
  now,
  time: (iso) => (iso === null ? null : `${iso} (${relative(iso, now)})`),
  nameOf: asGiven,
});
