// Value contract: every type the tables use survives a round trip.
import { deepEqual, equal } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { onPostgres, opening, openStore, type Store } from './store.ts';

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

async function through(type: string, value: unknown): Promise<unknown> {
  const statement = { text: `select $1::${type} as value`, values: [value] };
  return (await store.db.once(opening('kr_read'), statement)).rows[0]?.value;
}

const texts = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  '{a,b}',
  '"quoted"',
  "it's",
  'back\\slash \\\\ \\" \\n',
  'comma, brace } and {',
  'tab\tnew\nline\rreturn',
  '\u0001\u001f\u007f\u0085\u2028\u2029',
  'é ü ñ 漢字 \u{1F511} e\u0301',
  '\\x00ff',
  '$1 $$ %s :name ?',
  'x'.repeat(100_000),
];

test('any text comes back unchanged', async () => {
  for (const text of texts) equal(await through('text', text), text);
  // PGlite drops a byte order mark from the start of a string.
  if (onPostgres) equal(await through('text', '\ufeffmarked'), '\ufeffmarked');
});

test('arrays of any text come back unchanged, including nulls and empty arrays', async () => {
  deepEqual(await through('text[]', texts), texts);
  deepEqual(await through('text[]', []), []);
  deepEqual(await through('text[]', ['']), ['']);
  deepEqual(await through('text[]', [null, 'NULL', null]), [null, 'NULL', null]);
  deepEqual(await through('uuid[]', []), []);
});

test('bytes come back unchanged, alone and in arrays', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  deepEqual(await through('bytea', all), all);
  deepEqual(await through('bytea', Buffer.alloc(0)), Buffer.alloc(0));
  deepEqual(await through('bytea[]', [all, Buffer.alloc(0)]), [all, Buffer.alloc(0)]);
  deepEqual(await through('bytea', new Uint8Array([0, 1, 255])), Buffer.from([0, 1, 255]));
});

test('timestamps come back exact to the millisecond', async () => {
  const moments = [
    '1970-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '9999-12-31T00:00:00.001Z',
  ];
  for (const text of moments)
    deepEqual(await through('timestamptz', new Date(text)), new Date(text));
});

test('numbers, booleans and null come back unchanged', async () => {
  for (const value of [0, -1, 2 ** 31 - 1]) equal(await through('int', value), value);
  for (const value of [0, 2 ** 53 - 1]) equal(await through('bigint', value), value);
  equal(await through('boolean', true), true);
  equal(await through('boolean', false), false);
  for (const type of ['text', 'int', 'bytea', 'timestamptz', 'json', 'text[]', 'uuid']) {
    equal(await through(type, null), null, type);
    equal(await through(type, undefined), null, type);
  }
});

test('JSON values come back unchanged, and JSON read as text is identical to the character', async () => {
  const document = { list: [1, 'two', null, { three: [] }], empty: {}, text: texts.join('|') };
  deepEqual(await through('json', document), document);
  deepEqual(await through('json', JSON.stringify([document])), [document]);
  const spelled = '{"b":1,  "a":1.0,"a":2}';
  const statement = { text: 'select ($1::json)::text as value', values: [spelled] };
  const { rows } = await store.db.once(opening('kr_read'), statement);
  equal(rows[0]?.value, spelled, 'json keeps spelling, order and duplicates');
});

test('columns are named in camelCase, and commands report the number of rows', async () => {
  const statement = { text: 'select n as line_number_2 from generate_series(1, 3) n', values: [] };
  const { rows, count } = await store.db.once(opening('kr_read'), statement);
  deepEqual(rows, [{ lineNumber2: 1 }, { lineNumber2: 2 }, { lineNumber2: 3 }]);
  equal(count, 3);
});

/** Settings that an administrator may have changed for the whole database. */
const tastes = {
  datestyle: 'SQL, DMY',
  timezone: 'Asia/Kolkata',
  extra_float_digits: '-3',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
};

// Only for PostgreSQL, because only Keyrail configures the embedded store.
if (onPostgres) {
  test('database settings change neither values nor isolation', async (t) => {
    const { url, clock, beyond } = store;
    const [database] = await beyond('select current_database() as name');
    for (const [name, taste] of Object.entries(tastes)) {
      await beyond(`alter database "${database?.name}" set ${name} = '${taste}'`);
    }
    const db = openPostgres({ url: String(url), clock, connectionsMax: 1, onIdleError: () => {} });
    t.after(() => db.close());
    const at = new Date('2026-02-01T23:30:00.123Z');
    const sum = 0.1 + 0.2;
    const bytes = Buffer.from('\\\0');
    const { rows } = await db.once(opening('kr_read'), {
      text: `select $1::timestamptz as at, ($1::timestamptz at time zone 'UTC')::date::text as day,
        $2::float8 as sum, $3::bytea as bytes, current_setting('transaction_isolation') as sees`,
      values: [at, sum, bytes],
    });
    deepEqual(rows, [{ at, day: '2026-02-01', sum, bytes, sees: 'read committed' }]);
  });

  test("options in a connection string are added to Keyrail's own, and never replace them", async (t) => {
    const url = new URL(String(store.url));
    url.searchParams.set('options', '-c geqo=off -c search_path=public');
    const { clock } = store;
    const db = openPostgres({ url: `${url}`, clock, connectionsMax: 1, onIdleError: () => {} });
    t.after(() => db.close());
    const text = `select current_setting('geqo') as geqo, count(*) as found from workspaces`;
    const { rows } = await db.once(opening('kr_read'), { text, values: [] });
    deepEqual(rows, [{ geqo: 'off', found: 0 }]);
  });
}
