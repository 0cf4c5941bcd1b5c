// What a command prints. Results go to stdout, everything said about them to stderr, so that a
// pipe receives only what it asked for: tables for people, `--json` for programs, `--quiet` for
// the one value that matters.
import { cellOf, type Fact, isEmpty, type Look } from './facts.ts';
import { type Paint, pad, painter, printable } from './style.ts';
import { tableLines } from './table.ts';
import { hasColours, type Terminal } from './terminal.ts';
import { relative } from './times.ts';

export type Wishes = { json: boolean; quiet: boolean; color: boolean };

/** A result with a secret in it, which is shown this once. */
export type Revealed<T> = {
  /** The API's answer, for `--json`. */
  answer: unknown;
  one: T;
  facts: readonly Fact<T>[];
  secret: string;
  /** What it is called: `key`, `token`. */
  what: string;
};

export type Output = {
  list<T extends object>(rows: readonly T[], facts: readonly Fact<T>[], empty: string): void;
  record<T extends object>(one: T, facts: readonly Fact<T>[]): void;
  showOnce<T extends object>(revealed: Revealed<T>): void;
  /** A table beside the API's own answer, which `--json` prints. */
  sheet<T extends object>(answer: unknown, rows: readonly T[], facts: readonly Fact<T>[]): void;
  /** What was done, in words. */
  did(answer: unknown, sentence: string): void;
  /** The API's answer as it stands. */
  answer(body: unknown): void;
  /** Beside the matter; silent with `--quiet`. */
  note(sentence: string): void;
  warn(sentence: string): void;
  /** For stderr. */
  paint: Paint;
};

export function openOutput(terminal: Terminal, wishes: Wishes): Output {
  const { stdout, stderr } = terminal;
  const isTTY = stdout.isTTY === true;
  const paint = painter(hasColours(terminal, stdout, wishes.color));
  const paintAside = painter(hasColours(terminal, stderr, wishes.color));
  const width = isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  };
  const aside = (lines: readonly string[]) => stderr.write(`${lines.join('\n')}\n`);
  const near = isTTY ? nearLook(terminal.now()) : exactLook(terminal.now());
  const exact = isTTY ? bothLook(terminal.now()) : exactLook(terminal.now());

  const output: Output = {
    list(rows, facts, empty) {
      if (wishes.json) return print([jsonText(rows)]);
      const shown = facts.filter(({ only }) => only !== 'record');
      if (wishes.quiet) return print(rows.map((row) => idOf(row) ?? firstOf(row, shown, near)));
      if (rows.length === 0) return output.note(empty);
      print(tableLines(sheetOf(rows, shown, near), width, paint));
    },
    record(one, facts) {
      if (wishes.json) print([jsonText(one)]);
      else if (wishes.quiet) print([idOf(one) ?? firstOf(one, facts, exact)]);
      else print(recordLines(one, facts, { look: exact, paint }));
    },
    showOnce({ answer, one, facts, secret, what }) {
      if (wishes.json) print([jsonText(answer)]);
      else if (wishes.quiet || !isTTY) print([secret]);
      else print([...recordLines(one, facts, { look: exact, paint }), '', paint('bold', secret)]);
      if (wishes.quiet) return;
      // In a pipe stdout carries the bare secret; what it belongs to is told beside it.
      if (!wishes.json && !isTTY)
        aside(recordLines(one, facts, { look: exact, paint: paintAside }));
      aside([paintAside('yellow', `Keep the ${what}: it is shown this once.`)]);
    },
    sheet(answer, rows, facts) {
      if (wishes.json) print([jsonText(answer)]);
      else output.list(rows, facts, 'Nothing to show.');
    },
    did(answer, sentence) {
      if (wishes.json) print([jsonText(answer)]);
      else if (!wishes.quiet) print([printable(sentence)]);
    },
    answer: (body) => {
      const text = typeof body === 'string' && isTTY ? linesOf(body) : body;
      if (body !== null) print([typeof text === 'string' ? text : jsonText(text)]);
    },
    note: (sentence) => {
      if (!wishes.quiet) aside([paintAside('dim', printable(sentence))]);
    },
    warn: (sentence) => void aside([paintAside('yellow', printable(sentence))]),
    paint: paintAside,
  };
  return output;
}

/** JSON leaves C1 controls as they are, and some terminals obey them. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );

const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');

function sheetOf<T>(rows: readonly T[], facts: readonly Fact<T>[], look: Look) {
  const cells = rows.map((row) =>
    facts.map((fact) => {
      const cell = cellOf(fact, row, look);
      return { ...cell, text: printable(cell.text) };
    }),
  );
  return { columns: facts, rows: cells };
}

function recordLines<T>(
  one: T,
  facts: readonly Fact<T>[],
  { look, paint }: { look: Look; paint: Paint },
): string[] {
  const told = facts.filter(
    (fact) => fact.only !== 'list' && !(fact.ifAny && isEmpty(fact.of(one, look))),
  );
  const width = Math.max(...told.map(({ title }) => title.length));
  return told.map((fact) => {
    const { text, tone } = cellOf(fact, one, look);
    return `${paint('dim', pad(fact.title, width))}  ${paint(tone, printable(text))}`;
  });
}

function idOf(one: object): string | null {
  const id = Reflect.get(one, 'id') ?? Reflect.get(one, 'user_id');
  return typeof id === 'string' ? id : null;
}

function firstOf<T>(one: T, [fact]: readonly Fact<T>[], look: Look): string {
  return fact ? printable(cellOf(fact, one, look).text) : '';
}

const nearLook = (now: Date): Look => ({
  now,
  time: (iso) => (iso === null ? null : relative(iso, now)),
});

const exactLook = (now: Date): Look => ({ now, time: (iso) => iso });

const bothLook = (now: Date): Look => ({
  now,
  time: (iso) => (iso === null ? null : `${iso} (${relative(iso, now)})`),
});
