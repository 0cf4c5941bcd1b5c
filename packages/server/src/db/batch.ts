// Sends several statements in one round trip. The driver waits for each statement; a batch sends
// all of them before one Sync. PostgreSQL runs a batch without BEGIN as one implicit transaction:
// if a statement fails, the rest are skipped and everything is rolled back.
import pg from 'pg';
import type { Answer, Statement } from './database.ts';
import { isStalePlan, isUnreplicated, StoreUnavailable } from './faults.ts';
import { camelName, preparedName, wireValue } from './wire-format.ts';

type Field = { name: string; dataTypeID: number };

/** The part of the driver's connection that a batch uses. */
type Wire = {
  stream: { cork?(): void; uncork?(): void };
  parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  close(message: { type: 'S'; name: string }): void;
  bind(message: { statement: string; values: Value[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
  on(event: 'notice', listener: (notice: object) => void): void;
  off(event: 'notice', listener: (notice: object) => void): void;
};

type Parser = (text: string) => unknown;
type Value = string | Buffer | null;
type Column = { name: string; parse: Parser };

/**
 * Behind a pooler, the next statement may run on a different connection, so no statement is
 * prepared by name.
 */
const UNNAMED = '';

export class Batch {
  readonly query_timeout: number;
  callback: (error: Error | null, answers?: Answer[]) => void;
  readonly #statements: readonly { name: string; text: string; values: Value[] }[];
  readonly #answers: Answer[];
  readonly #unparsed: { name: string; text: string }[] = [];
  #current = 0;
  #described: Map<string, readonly Column[]> = new Map();
  #error: Error | null = null;
  #wire: Wire | null = null;

  constructor(
    statements: readonly (Statement & { isUnnamed?: boolean })[],
    timeoutMs: number,
    callback: (error: Error | null, answers?: Answer[]) => void,
  ) {
    // A value without a wire format throws here, before any part of the batch is sent.
    this.#statements = statements.map(({ text, values, isUnnamed }) => ({
      name: isUnnamed ? UNNAMED : preparedName(text),
      text,
      values: values.map(wireValue),
    }));
    this.#answers = statements.map(() => ({ rows: [], count: 0 }));
    this.query_timeout = Math.max(1, Math.ceil(timeoutMs));
    this.callback = callback;
  }

  // On each ParseComplete, the driver records that `name` is prepared with `text`. It reads `name`
  // and then `text`, once each, so reading `text` moves on to the next statement.
  get name(): string | undefined {
    return this.#unparsed[0]?.name;
  }

  get text(): string | undefined {
    return this.#unparsed.shift()?.text;
  }

  submit(connection: pg.Connection): null {
    // The driver's types lack the methods that its own queries call on a connection.
    const wire = connection as unknown as Wire;
    this.#wire = wire;
    wire.on('notice', this.#handleNotice);
    const sent = new Set<string>();
    const described = describedOn(wire);
    this.#described = described;
    wire.stream.cork?.();
    for (const { name, text, values } of this.#statements) {
      if (name === UNNAMED) wire.parse({ name, text });
      else if (wire.parsedStatements[name] === undefined && !sent.has(name)) {
        described.delete(name);
        if (stale.get(wire)?.delete(name)) wire.close({ type: 'S', name });
        wire.parse({ name, text });
        this.#unparsed.push({ name, text });
        sent.add(name);
      }
      wire.bind({ statement: name, values });
      if (name === UNNAMED || !described.has(name)) wire.describe({ type: 'P', name: '' });
      wire.execute({});
    }
    wire.sync();
    wire.stream.uncork?.();
    return null;
  }

  get #name(): string {
    return this.#statements[this.#current]?.name ?? '';
  }

  handleRowDescription(message: { fields: Field[] }): void {
    const columns = message.fields.map((field) => ({
      name: camelName(field.name),
      parse: typeParser(field.dataTypeID),
    }));
    this.#described.set(this.#name, columns);
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    let at = 0;
    for (const { name, parse } of this.#described.get(this.#name) ?? []) {
      const text = message.fields[at] ?? null;
      row[name] = text === null ? null : parse(text);
      at += 1;
    }
    this.#answers[this.#current]?.rows.push(row);
  }

  handleCommandComplete(message: { text: string }): void {
    const answer = this.#answers[this.#current];
    if (answer) answer.count = Number(/ (\d+)$/.exec(message.text)?.[1] ?? 0);
    // If the transaction has failed, PostgreSQL responds to COMMIT with ROLLBACK, which is not a
    // success.
    const asked = this.#statements[this.#current]?.text;
    if (!this.#described.has(this.#name)) this.#described.set(this.#name, []);
    if (asked === 'commit' && message.text !== 'COMMIT') {
      this.#error = new Error('the transaction was rolled back instead of committed');
    }
    this.#current += 1;
  }

  /** The driver passes notices to its connection, not to the query. */
  readonly #handleNotice = (notice: object): void => {
    if (isUnreplicated(notice)) {
      this.#error = new StoreUnavailable('the commit may not have reached the synchronous replica');
    }
  };

  handleError(error: Error): void {
    this.#error ??= error;
    if (this.#wire && isStalePlan(error)) forgetPlans(this.#wire);
    // After a lost connection or a timeout, no ReadyForQuery arrives. After a failed statement it
    // does arrive, but by then the driver has moved on to the next query. So the batch finishes
    // here.
    this.#finish();
  }

  handleReadyForQuery(): void {
    this.#finish();
  }

  #finish(): void {
    const { callback } = this;
    this.callback = () => {};
    this.#wire?.off('notice', this.#handleNotice);
    if (this.#error) callback(this.#error);
    else callback(null, this.#answers);
  }
}

/**
 * The columns of each connection's prepared statements. In PostgreSQL, a prepared statement's
 * columns never change, so each one is described only once.
 */
const described = new WeakMap<Wire, Map<string, readonly Column[]>>();

function describedOn(wire: Wire): Map<string, readonly Column[]> {
  const known = described.get(wire) ?? new Map();
  described.set(wire, known);
  return known;
}

/** Prepared statements with a stale plan; each is closed before its name is used again. */
const stale = new WeakMap<Wire, Set<string>>();

function forgetPlans(wire: Wire): void {
  const names = Object.keys(wire.parsedStatements);
  stale.set(wire, new Set([...(stale.get(wire) ?? []), ...names]));
  described.delete(wire);
  for (const name of names) delete wire.parsedStatements[name];
}

const wholeNumber: Parser = (text) => Number(text);
const INT8_OID = 20;

// All int8 columns are versions, counts and sequence numbers, far below 2^53.
const typeParser = (oid: number): Parser =>
  oid === INT8_OID ? wholeNumber : pg.types.getTypeParser(oid, 'text');
