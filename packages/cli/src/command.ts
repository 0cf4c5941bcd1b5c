// Commands are objects in a table. This file defines their fields, and functions that create the
// common kinds of command: those that show or change an object, create a secret, do something
// irreversible after a confirmation, or list objects.
import type { Client, Impact } from '@keyrail/client';
import type { Context } from './context.ts';
import { refused, usage } from './failures.ts';
import type { Given } from './input/given.ts';
import type { Field } from './output/fields.ts';
import { namesOf, type Reference } from './output/names.ts';

export type Option = {
  flags: string;
  about: string;
  choices?: readonly string[];
  required?: true;
  /** The option can be repeated. */
  repeat?: true;
};

type Argument = { name: string; about: string; choices?: readonly string[] };

export type Command = {
  name: string;
  summary: string;
  args?: readonly Argument[];
  options?: readonly Option[];
  /** Complete command lines; each starts with `keyrail`. */
  examples: readonly string[];
  notes?: string;
  /**
   * The command changes something. If it fails and the change may have been made anyway, the error
   * says so.
   */
  changes?: true;
  /** The confirmation question, asked before the command runs unless `--yes` is given. */
  question?: (given: Given, context: Context) => string | Promise<string>;
  /** Requests a dry run. Its result is printed for `--dry-run` and before the question. */
  impact?: Request<Impact>;
  run(context: Context, given: Given): Promise<void>;
};

export type Group = { name: string; summary: string; commands: readonly Command[] };

type Row = Omit<Command, 'run' | 'changes'>;
type Request<T> = (client: Client, given: Given, context: Context) => Promise<T>;

/** A client method that supports a dry run. */
type Foreseeable<A extends readonly unknown[], T> = ((...args: A) => Promise<T>) & {
  dryRun(...args: A): Promise<Impact>;
};

/**
 * Returns two versions of a command's request: the real one and a dry run. Takes the client method
 * first, then a function that returns its arguments.
 */
export const foreseeable =
  <A extends readonly unknown[], T>(method: (client: Client) => Foreseeable<A, T>) =>
  (
    argsOf: (client: Client, given: Given, context: Context) => Promise<A>,
  ): { request: Request<T>; impact: Request<Impact> } => ({
    request: async (client, given, context) =>
      method(client)(...(await argsOf(client, given, context))),
    impact: async (client, given, context) =>
      method(client).dryRun(...(await argsOf(client, given, context))),
  });

/** Reads one object and prints it. */
export const showCommand = <T extends object>(
  row: Row & { request: Request<T>; fields: readonly Field<NoInfer<T>>[] },
): Command => ({
  ...row,
  run: async (context, given) =>
    context.output.record(await row.request(context.client(), given, context), row.fields),
});

/** Changes an object and prints the result. */
export const changeCommand = <T extends object>(
  row: Row & { request: Request<T>; fields: readonly Field<NoInfer<T>>[] },
): Command => ({ ...showCommand(row), changes: true });

/** Creates something with a secret. The secret is printed only once. */
export const secretCommand = <T extends object>(
  row: Row & {
    request: Request<T>;
    fields: readonly Field<NoInfer<T>>[];
    /** The secret; undefined in a replayed response. */
    secret(created: NoInfer<T>): string | undefined;
    /** A hint on how to replace the secret, printed if the response containing it was lost. */
    replace?(created: NoInfer<T>): string;
    /** What kind of secret it is, such as `secret key`; used in messages. */
    what: string;
    /** An additional sentence for stderr. */
    note?(created: NoInfer<T>): string;
  },
): Command => ({
  ...row,
  notes: [row.notes, SECRET_NOTE].filter(Boolean).join('\n\n'),
  changes: true,
  run: async (context, given) => {
    const created = await row.request(context.client(), given, context);
    const { fields, what } = row;
    const secret = row.secret(created);
    if (secret === undefined) {
      const message = `The ${what} was created, but the response containing it was lost.`;
      throw refused(message, ...(row.replace ? [row.replace(created)] : []));
    }
    context.output.newSecret({ answer: created, one: created, fields, secret, what });
    if (row.note) context.output.note(row.note(created));
  },
});

const SECRET_NOTE = `The secret is shown only once. On a terminal it is printed after the
details. In a pipe, stdout contains the secret and nothing else. --quiet prints
only the secret, --json the whole response.`;

/** Does something irreversible after asking for confirmation, then reports it in a sentence. */
export const confirmedCommand = <T extends object>(
  row: Row & {
    request: Request<T>;
    question(given: Given, context: Context): string | Promise<string>;
    message(done: NoInfer<T>, context: Context): string;
  },
): Command => ({
  ...row,
  changes: true,
  run: async (context, given) => {
    const done = await row.request(context.client(), given, context);
    context.output.report(done, row.message(done, context));
  },
});

const LIMIT_DEFAULT = 100;

const listOptions: readonly Option[] = [
  { flags: '--limit <n>', about: `maximum number of rows (default: ${LIMIT_DEFAULT})` },
  { flags: '--all', about: 'all rows' },
];

type Pages<T> = AsyncIterable<{ items: T[]; cursor: string | null }>;
type PageInput = { query: { limit: number }; pagesMax: number };

/** The maximum number of pages to read, which is enough for a long audit log. */
const PAGES_MAX = 1_000_000;

type Listing<T> = Omit<Row, 'name'> & {
  name?: string;
  /** The largest page size that the API allows. */
  pageMax: number;
  pages(client: Client, given: Given, page: PageInput): Pages<T> | Promise<Pages<T>>;
  fields: readonly Field<NoInfer<T>>[];
  /** The IDs in a row for which the table should show names. */
  references?(row: NoInfer<T>): readonly Reference[];
  empty: string;
};

/** Reads a list page by page and prints it as one table. */
export const listCommand = <T extends object>(row: Listing<T>): Command => ({
  ...row,
  name: row.name ?? 'list',
  options: [...(row.options ?? []), ...listOptions],
  run: async (context, given) => {
    const max = limitOf(given);
    const limit = Math.min(row.pageMax, max);
    const page = { query: { limit }, pagesMax: PAGES_MAX };
    const client = context.client();
    const { rows, more } = await take(await row.pages(client, given, page), max);
    const { references, fields, empty } = row;
    const names =
      references && context.output.hasText
        ? await namesOf(client, rows.flatMap(references))
        : undefined;
    context.output.list(rows, fields, { empty, names });
    if (more) context.output.note('There are more rows. Use --limit or --all to see them.');
  },
});

function limitOf(given: Given): number {
  if (given.flag('all')) return Number.POSITIVE_INFINITY;
  const limit = given.number('limit') ?? LIMIT_DEFAULT;
  if (limit < 1) throw usage('--limit must be at least 1.');
  return limit;
}

async function take<T>(pages: Pages<T>, max: number): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  for await (const { items, cursor } of pages) {
    rows.push(...items);
    if (rows.length > max || (rows.length === max && cursor !== null)) {
      return { rows: rows.slice(0, max), more: true };
    }
  }
  return { rows, more: false };
}

/** Rejects an update that changes nothing, because it is most likely a mistake. */
export function requireChange<T extends object>(fields: T): T {
  if (Object.values(fields).some((value) => value !== undefined)) return fields;
  throw usage('Nothing to change. Pass at least one option.', 'See --help for the options.');
}
