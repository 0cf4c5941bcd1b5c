// How a search text matches rows, as parts of SQL statements. The columns are lowercased; `%` and
// `_` have no special meaning.
import {
  FOUND_PER_TYPE_MAX,
  SEARCH_EXAMINED_MAX,
  SEARCH_MATCHES_MAX,
  SEARCH_PART_CHARS_MIN,
} from '@keyrail/protocol/wire/limits.ts';
import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';
import { lowered, textRangeOf } from './prefix-range.ts';
import { anyOf, constant, joined, named, type Sql, sql } from './sql.ts';

/**
 * Whether the text is long enough to match in the middle of a field. A shorter text matches only at
 * the start.
 */
export const isPart = (q: string): boolean => [...q].length >= SEARCH_PART_CHARS_MIN;

/**
 * Returns a condition that a lowercased column begins with a string, in a form that an index
 * supports.
 */
export function beginsWith(column: Sql, start: string): Sql {
  const { from, to } = textRangeOf(start);
  const isAfter = sql`${column} >= ${from}`;
  return to === null ? isAfter : sql`(${isAfter} and ${column} < ${to})`;
}

/** A condition that any of a row's fields matches the text. It does not use an index. */
export const matchesText = (fields: readonly Sql[], q: string): Sql =>
  isPart(q)
    ? anyOf(fields.map((field) => sql`strpos(${field}, ${lowered(q)}) > 0`))
    : anyOf(fields.map((field) => beginsWith(field, q)));

/** 0 if a field equals the text, 1 if a field begins with it, 2 otherwise. */
const rankOf = (fields: readonly Sql[], q: string): Sql => sql`case
  when ${anyOf(fields.map((field) => sql`${field} = ${lowered(q)}`))} then 0
  when ${anyOf(fields.map((field) => sql`starts_with(${field}, ${lowered(q)})`))} then 1
  else 2 end`;

/** Returns a query that selects the `id`, `created_at` and `rank` of rows. */
export const rankedIn = (
  rows: Sql,
  { columns = sql`id`, fields, q }: { columns?: Sql; fields: readonly Sql[]; q: string },
): Sql => sql`select ${columns}, created_at, ${rankOf(fields, q)} as rank from ${rows}`;

/** A table whose rows can be found by their ID and by some fields. */
export type Searchable = {
  name: string;
  /**
   * The condition for rows that are not deleted. The index of the list, newest first, contains only
   * these.
   */
  living: Sql;
  /** The indexed fields, each with the order of its index. */
  indexed: readonly { field: Sql; order: Sql }[];
};

export const idText: Sql = sql`(id::text collate "C")`;

const namesOf = ({ indexed }: Searchable): Sql[] => indexed.map(({ field }) => field);

export const fieldsOf = (searchable: Searchable): Sql[] => [...namesOf(searchable), idText];

/**
 * Returns queries for the matches in a table whose rows have no environment: fields that begin with
 * the text, among all rows, and fields that contain the text, among the newest rows and in a
 * trigram index if there is one.
 */
export function matchesIn(searchable: Searchable, q: string): Sql[] {
  const { name, living, indexed } = searchable;
  const table = named(name);
  const fields = fieldsOf(searchable);
  const starting = indexed.map(
    ({ field, order }) => sql`${rankedIn(table, { fields, q })}
      where ${beginsWith(field, q)} order by ${order} limit ${SEARCH_MATCHES_MAX}`,
  );
  const itself = sql`${rankedIn(table, { fields, q })} where ${living} and id = ${q} limit 1`;
  const columns = joined([sql`id, created_at`, ...namesOf(searchable)]);
  const anywhere = indexedIn(name, q, { columns, condition: living });
  const newest = sql`(select ${columns} from ${table}
    where ${living} order by created_at desc, id desc limit ${SEARCH_EXAMINED_MAX}) newest`;
  return [
    ...starting,
    ...(UUID_ANY_CASE.test(q) ? [itself] : []),
    ...(isPart(q) ? [newestIn(newest, fields, q), rankedIn(anywhere, { fields, q })] : []),
  ];
}

/** The rows that a trigram index finds; none if the database has no such index. */
export const indexedIn = (
  table: string,
  q: string,
  { columns, condition }: { columns: Sql; condition: Sql },
): Sql => sql`(
  select found.* from indexed_matches(${table}, ${lowered(q)}) as hit (id) cross join lateral (
    select ${columns} from ${named(table)} where id = hit.id and ${condition} limit 1) found) indexed`;

/** The rows that match the text, newest first. */
export const newestIn = (rows: Sql, fields: readonly Sql[], q: string): Sql =>
  sql`${rankedIn(rows, { fields, q })} where ${matchesText(fields, q)}
    order by created_at desc, id desc limit ${SEARCH_MATCHES_MAX}`;

const union = (matches: readonly Sql[]): Sql =>
  joined(
    matches.map((each) => sql`(${each})`),
    sql` union all `,
  );

type Search = {
  matches: readonly Sql[];
  after: { createdAt: Date; id: string } | null;
  limit: number;
};

/** The newest rows among all matches, as a table `page (id, created_at)`; each row appears once. */
export const newestMatches = ({ matches, after, limit }: Search): Sql => sql`(
  select id, created_at from (${union(matches)}) matched
  ${after ? sql`where (created_at, id) < (${after.createdAt}, ${after.id})` : sql``}
  group by id, created_at order by created_at desc, id desc limit ${limit}) page`;

export const bestFirst = (id: Sql): Sql =>
  sql`order by rank, created_at desc, ${id} desc limit ${constant(FOUND_PER_TYPE_MAX)}`;

/** The best matches, as a table `page (id, created_at, rank)`; each row appears once. */
export const bestMatches = (matches: readonly Sql[]): Sql => sql`(
  select id, created_at, min(rank) as rank from (${union(matches)}) matched
  group by id, created_at ${bestFirst(sql`id`)}) page`;
