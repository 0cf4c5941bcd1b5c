// Statements, built with types and run by whoever holds a door. Kysely only writes the text here;
// it never sees a connection. Names are camelCase on this side and snake_case in the database.
import {
  CamelCasePlugin,
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type { Answer, Statement } from './database.ts';
import type { Tables } from './tables.ts';

export const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [new CamelCasePlugin()],
});

/** Anything that runs statements: a transaction, or a door that opens one for each. */
export type Runner = { run(statement: Statement): Promise<Answer> };

/** A statement that is always the same, written once instead of with every use. */
export type Fixed<Row> = Statement & { readonly answers?: Row };

type Query<Row> = Compilable<Row> | RawBuilder<Row> | Fixed<Row>;

export const fixed = <Row>(query: Compilable<Row>): Fixed<Row> => statementOf(query);

export function statementOf<Row>(query: Query<Row>): Statement {
  if ('text' in query) return query;
  const compiled = 'isRawBuilder' in query ? query.compile(build) : query.compile();
  return { text: compiled.sql, values: compiled.parameters };
}

export async function many<Row>(runner: Runner, query: Query<Row>): Promise<Row[]> {
  const { rows } = await runner.run(statementOf(query));
  return rows as Row[]; // the row type is the query's own; the driver cannot know it
}

/** The first row, or null when there is none. */
export async function maybe<Row>(runner: Runner, query: Query<Row>): Promise<Row | null> {
  const { rows } = await runner.run(statementOf(query));
  return (rows[0] as Row | undefined) ?? null;
}

/** For statements that always answer with a row, such as an insert that returns it. */
export async function one<Row>(runner: Runner, query: Query<Row>): Promise<Row> {
  const row = await maybe(runner, query);
  if (row === null) throw new Error('impossible: a statement that always answers did not');
  return row;
}
