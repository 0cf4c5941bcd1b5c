// SQL as templates. A value in a template becomes a parameter, and a nested template becomes part
// of the text. The only other text comes from names and numbers, which are checked. This way, a
// value from a request can never become SQL.

const IS_SQL = Symbol('sql');

/**
 * The values a parameter may have. JSON is passed as text, because an array would become an SQL
 * array.
 */
type Value = string | number | boolean | Date | Uint8Array | null | readonly Value[];

/** A statement, or part of one. `Row` is the type of the rows it returns. */
export type Sql<Row = unknown> = {
  readonly [IS_SQL]: true;
  /** The text before, between and after the values. */
  readonly texts: readonly string[];
  readonly values: readonly Value[];
  /** Exists only as a type and never has a value. */
  readonly row?: Row;
};

export function sql<Row = unknown>(
  [first = '', ...others]: TemplateStringsArray,
  ...inserted: readonly (Value | Sql)[]
): Sql<Row> {
  const texts = [first];
  const values: Value[] = [];
  const extend = (text: string) => texts.push((texts.pop() ?? '') + text);
  for (const [at, one] of inserted.entries()) {
    if (isSql(one)) {
      const [start = '', ...rest] = one.texts;
      extend(start);
      texts.push(...rest);
      values.push(...one.values);
      extend(others[at] ?? '');
    } else {
      values.push(one);
      texts.push(others[at] ?? '');
    }
  }
  return made(texts, values);
}

const made = <Row>(texts: readonly string[], values: readonly Value[]): Sql<Row> => ({
  [IS_SQL]: true,
  texts,
  values,
});

const isSql = (value: Value | Sql): value is Sql =>
  typeof value === 'object' && value !== null && IS_SQL in value;

/** The statement's text, with numbered parameters. */
export const textOf = ({ texts }: Sql): string =>
  texts.reduce((text, part, number) => `${text}$${number}${part}`);

export const joined = (parts: readonly Sql[], separator = sql`, `): Sql =>
  parts.reduce((all, part) => sql`${all}${separator}${part}`);

/** Joins conditions with `and`. There must be at least one. */
export const allOf = (conditions: readonly Sql[]): Sql => joined(conditions, sql` and `);

/** Joins conditions with `or`. There must be at least one. */
export const anyOf = (conditions: readonly Sql[]): Sql => sql`(${joined(conditions, sql` or `)})`;

/** The name of a table, column or type, such as `d.due_at`. */
export function named(name: string): Sql {
  if (!/^[a-z_]+(\.[a-z_]+)?$/.test(name)) throw new Error(`"${name}" is not a valid SQL name`);
  return made([name], []);
}

/**
 * Inserts a number directly into the text, so that the planner knows its value. Only for numbers
 * that never change.
 */
export const constant = (value: number): Sql => made([String(value)], []);

/** A row's fields in TypeScript. Undefined fields are left out. */
type Fields = Readonly<Record<string, Value | undefined>>;

/** The columns and values of an insert: `(name, created_at) values (…, …)`. */
export function valuesOf(fields: Fields): Sql {
  const given = givenOf(fields);
  const columns = joined(given.map(([column]) => column));
  return sql`(${columns}) values (${joined(given.map(([, value]) => sql`${value}`))})`;
}

/** The assignments of an update: `name = …, updated_at = …`. */
export const changesOf = (fields: Fields): Sql =>
  joined(givenOf(fields).map(([column, value]) => sql`${column} = ${value}`));

const givenOf = (fields: Fields): [Sql, Value][] =>
  Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [[named(columnName(field)), value]],
  );

/** `createdAt` becomes `created_at`. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
