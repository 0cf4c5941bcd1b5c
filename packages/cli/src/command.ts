// The rows of which the command line is made, and makers for the kinds of rows that recur.
import type { Client } from '@keyrail/client/client.ts';
import type { Context } from './context.ts';
import type { Fact } from './facts.ts';
import { usage } from './faults.ts';
import type { Given } from './given.ts';

export type Option = {
  flags: string;
  about: string;
  choices?: readonly string[];
  required?: true;
  /** May be given several times. */
  repeat?: true;
};

export type Argument = { name: string; about: string; choices?: readonly string[] };

export type Command = {
  name: string;
  summary: string;
  args?: readonly Argument[];
  options?: readonly Option[];
  /** What comes after `keyrail`. */
  examples: readonly string[];
  notes?: string;
  /** Changes something, so that an unknown outcome matters. */
  changes?: true;
  /** What is asked before something is done that cannot be undone. */
  question?: (given: Given) => string;
  run(context: Context, given: Given): Promise<void>;
};

export type Group = { name: string; summary: string; commands: readonly Command[] };

type Row = Omit<Command, 'run' | 'changes'>;
type Ask<T> = (client: Client, given: Given, context: Context) => Promise<T>;

/** Reads one object and shows it. */
export const showing = <T extends object>(
  row: Row & { ask: Ask<T>; facts: readonly Fact<NoInfer<T>>[] },
): Command => ({
  ...row,
  run: async (context, given) =>
    context.output.record(await row.ask(context.client(), given, context), row.facts),
});

/** Changes something and shows what it has become. */
export const changing = <T extends object>(
  row: Row & { ask: Ask<T>; facts: readonly Fact<NoInfer<T>>[] },
): Command => ({ ...showing(row), changes: true });

/** Makes something whose secret is shown this once. */
export const minting = <T extends object>(
  row: Row & {
    ask: Ask<T>;
    facts: readonly Fact<NoInfer<T>>[];
    secret(made: NoInfer<T>): string;
    what: string;
    /** What else is worth knowing of it. */
    aside?(made: NoInfer<T>): string;
  },
): Command => ({
  ...row,
  notes: [row.notes, SECRET_NOTE].filter(Boolean).join('\n\n'),
  changes: true,
  run: async (context, given) => {
    const made = await row.ask(context.client(), given, context);
    const { facts, what } = row;
    context.output.showOnce({ answer: made, one: made, facts, secret: row.secret(made), what });
    if (row.aside) context.output.note(row.aside(made));
  },
});

const SECRET_NOTE = `The secret is printed this once. At a terminal it follows the details; in a pipe
stdout carries the bare secret and nothing else. --quiet prints only the secret,
--json the whole answer.`;

/** Does something final and says so in a sentence. */
export const ending = <T extends object>(
  row: Row & {
    ask: Ask<T>;
    question(given: Given): string;
    says(done: NoInfer<T>, context: Context): string;
  },
): Command => ({
  ...row,
  changes: true,
  run: async (context, given) => {
    const done = await row.ask(context.client(), given, context);
    context.output.did(done, row.says(done, context));
  },
});

export const LIMIT_DEFAULT = 100;

export const listOptions: readonly Option[] = [
  { flags: '--limit <n>', about: `show at most this many (${LIMIT_DEFAULT})` },
  { flags: '--all', about: 'show every one' },
];

type Walk<T> = AsyncIterable<{ items: T[]; cursor: string | null }>;

type PageInput = { query: { limit: number }; pagesMax: number };

/** Whoever asks for all of a long history means it. */
const PAGES_MAX = 1_000_000;

type Listing<T> = Omit<Row, 'name'> & {
  name?: string;
  /** How many the API gives at once. */
  pageMax: number;
  walk(client: Client, given: Given, page: PageInput): Walk<T> | Promise<Walk<T>>;
  facts: readonly Fact<NoInfer<T>>[];
  empty: string;
};

/** Walks a list and shows it as a table. */
export const listing = <T extends object>(row: Listing<T>): Command => ({
  ...row,
  name: row.name ?? 'list',
  options: [...(row.options ?? []), ...listOptions],
  run: async (context, given) => {
    const most = mostOf(given);
    const limit = Math.min(row.pageMax, most);
    const page = { query: { limit }, pagesMax: PAGES_MAX };
    const walk = await row.walk(context.client(), given, page);
    const { rows, more } = await take(walk, most);
    context.output.list(rows, row.facts, row.empty);
    if (more) context.output.note(`There are more: --all shows every one, --limit that many.`);
  },
});

function mostOf(given: Given): number {
  if (given.flag('all')) return Number.POSITIVE_INFINITY;
  const most = given.number('limit') ?? LIMIT_DEFAULT;
  if (most < 1) throw usage('--limit is at least 1.');
  return most;
}

async function take<T>(walk: Walk<T>, most: number): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  for await (const { items, cursor } of walk) {
    rows.push(...items);
    if (rows.length > most || (rows.length === most && cursor !== null)) {
      return { rows: rows.slice(0, most), more: true };
    }
  }
  return { rows, more: false };
}

/** PATCH with nothing to change is a slip of the keyboard. */
export function someOf<T extends object>(fields: T): T {
  if (Object.values(fields).some((value) => value !== undefined)) return fields;
  throw usage('Nothing to change: give at least one option.', 'The options are shown by --help.');
}
