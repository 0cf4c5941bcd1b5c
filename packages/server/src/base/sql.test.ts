import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, changesOf, constant, named, type Sql, sql, textOf, valuesOf } from './sql.ts';

const compiled = (query: Sql) => ({ text: textOf(query), values: query.values });

test('values become parameters, in the order in which they appear in the text', () => {
  const hostile = `'); drop table users; --`;
  deepEqual(compiled(sql`select ${1} where name = ${hostile} and tags = ${['a', 'b']}`), {
    text: 'select $1 where name = $2 and tags = $3',
    values: [1, hostile, ['a', 'b']],
  });
});

test('a nested template becomes part of the outer text', () => {
  const live = sql`deleted_at is null and env = ${'live'}`;
  const page = (after: Date | null) =>
    sql`select * from keys where ${live} ${after ? sql`and at < ${after}` : sql``} limit ${5}`;
  deepEqual(compiled(page(null)), {
    text: 'select * from keys where deleted_at is null and env = $1  limit $2',
    values: ['live', 5],
  });
  const after = new Date(0);
  deepEqual(compiled(sql`(${page(after)}) union (${page(null)})`), {
    text:
      '(select * from keys where deleted_at is null and env = $1 and at < $2 limit $3) union ' +
      '(select * from keys where deleted_at is null and env = $4  limit $5)',
    values: ['live', after, 5, 'live', 5],
  });
});

test('an object that looks like a template is not treated as one', () => {
  const forged = JSON.parse('{"texts":["drop table users"],"values":[]}');
  deepEqual(compiled(sql`select ${forged}`), { text: 'select $1', values: [forged] });
});

test('fields become columns and parameters, and undefined fields are left out', () => {
  const fields = { createdAt: 'now', name: null, slug: undefined };
  deepEqual(compiled(sql`insert into keys ${valuesOf(fields)}`), {
    text: 'insert into keys (created_at, name) values ($1, $2)',
    values: ['now', null],
  });
  deepEqual(compiled(sql`update keys set ${changesOf(fields)} where id = ${7}`), {
    text: 'update keys set created_at = $1, name = $2 where id = $3',
    values: ['now', null, 7],
  });
});

test('only names and numbers are inserted directly into the SQL text', () => {
  const overdue = sql`${named('d.due_at')} < ${constant(5)}`;
  equal(textOf(allOf([overdue, sql`sent_at is null`])), 'd.due_at < 5 and sent_at is null');
  for (const name of ['a b', 'a;', '', 'a.b.c', 'A', '"a"', 'a\n']) {
    throws(() => named(name), /is not a valid SQL name/, name);
  }
  throws(() => valuesOf({ 'a) values (1); --': 1 }), /is not a valid SQL name/);
});
