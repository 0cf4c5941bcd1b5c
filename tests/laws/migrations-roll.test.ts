// Migrations neither stop nor break the previous release, so both releases can run side by side.
import { deepEqual, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '@keyrail/server/db/migrate.ts';
import { migrationFaults } from './migration-rules.ts';

/** Migrations up to this one create the first schema in an empty database. */
const LAST_OF_THE_FIRST_SCHEMA = 13;

const isLater = (name: string): boolean => Number(name.slice(0, 4)) > LAST_OF_THE_FIRST_SCHEMA;

test('every migration lets the previous release keep running', async () => {
  const files = (await readMigrations()).filter(({ name }) => isLater(name));
  deepEqual(files.flatMap(migrationFaults), []);
});

test("a migration's name says whether it is an expansion or a contraction", async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  const unnamed = names.filter(isLater).filter((name) => !/^\d{4}_(expand|contract)_/.test(name));
  deepEqual(unnamed, []);
});

const bad: [string, RegExp][] = [
  ['create index api_keys_by_x on api_keys (x)', /creates an index/],
  ['create unique index x on keyrail.tenants (name)', /creates an index/],
  ['alter table api_keys alter column name type varchar(10)', /changes the type/],
  ['alter table api_keys alter name set data type text', /changes the type/],
  ['alter table api_keys alter column name set not null', /sets not null/],
  ['alter table api_keys add column x uuid default gen_random_uuid()', /computed for each row/],
  ['alter table api_keys add column x text not null', /does not set/],
  ['alter table api_keys add x int generated always as (1) stored', /rewrites/],
  ['alter table api_keys add constraint c check (name <> $$$$)', /not valid/],
  ['alter table api_keys add foreign key (x) references tenants', /not valid/],
  ['alter table api_keys add constraint u unique (name)', /builds an index/],
  ['lock table api_keys', /locks/],
  ['drop table tenants', /drops/],
  ['drop function close_change', /drops/],
  ['alter table api_keys drop column name', /drops a column/],
  ['alter table api_keys rename column name to title', /renames/],
  ['revoke select on api_keys from kr_read', /privilege/],
  ['update api_keys set name = $$x$$', /many rows/],
  [
    'alter table api_keys add constraint c check (true) not valid; alter table api_keys validate constraint c',
    /validates c/,
  ],
];

test('the check rejects every way to lock a table or break the previous release', () => {
  for (const [text, says] of bad) {
    match(migrationFaults({ name: '0040_expand_bad.sql', text }).join('\n'), says, text);
  }
});

test('the check allows additions, and allows removals in a contraction', () => {
  const good = [
    'create table notes (id uuid primary key, text text not null)',
    'create table notes (id uuid); create index notes_by_id on notes (id)',
    'alter table api_keys add column x text',
    'alter table api_keys add column x int not null default 0',
    'alter table api_keys add constraint c check (x > 0) not valid',
    'alter table api_keys validate constraint c',
    'create index concurrently x on api_keys (x)',
    'create or replace function f() returns void language sql as $$ update api_keys set x = 1; $$',
    '-- drop table tenants\ngrant select on api_keys to kr_worker',
  ];
  for (const text of good) deepEqual(migrationFaults({ name: '0040_expand_good.sql', text }), []);
  const removal = { text: 'alter table api_keys drop column old', name: '0041_contract_old.sql' };
  deepEqual(migrationFaults(removal), []);
  ok(migrationFaults({ ...removal, name: '0041_expand_old.sql' }).length > 0);
});
