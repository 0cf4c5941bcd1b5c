// The types in db/tables.ts match their tables' rows: every column, its type, and whether it may be
// null. The results of individual statements can't be checked, so the check covers complete rows.
import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { columnName } from '@keyrail/server/base/sql.ts';
import { camelName } from '@keyrail/server/db/wire-format.ts';
import { testApp } from '@keyrail/testing/test-app.ts';

const FILE = join(import.meta.dirname, '../../packages/server/src/db/tables.ts');

/**
 * The TypeScript type of what the driver returns for a column. A fixed list of strings counts as
 * text.
 */
const KINDS: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  env: 'string',
  member_role: 'string',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  'text[]': 'string[]',
  'uuid[]': 'string[]',
  json: 'json',
};

const JSON_TYPES = ['Meta', 'RateLimit[]', 'Record<string, unknown>', 'Record<string, string>'];
const TEXT_TYPES = ['Env', 'Role', 'SigningPurpose'];

function kindOf(type: string): string {
  const [first = ''] = type.split(' | ');
  const kind = type.replace(/ \| null$/, '');
  const known = first.startsWith("'") || TEXT_TYPES.includes(kind) ? 'string' : kind;
  const plain = kind === 'Permission[]' ? 'string[]' : known;
  return `${JSON_TYPES.includes(kind) ? 'json' : plain}${kind === type ? '' : ' or null'}`;
}

/** The fields of each type, by table name. */
function typedTables(): Map<string, Record<string, string>> {
  const text = readFileSync(FILE, 'utf8');
  const [, listed = ''] = /export type Tables = \{([^}]*)\}/.exec(text) ?? [];
  const tables = [...listed.matchAll(/(\w+): (\w+);/g)].map(([, field = '', type]) => {
    const [, body = ''] = new RegExp(`^type ${type} = \\{([^}]*)\\};`, 'm').exec(text) ?? [];
    const fields = [...body.matchAll(/^ {2}(\w+): (.*);$/gm)];
    const kinds = fields.map(([, name = '', of = '']) => [name, kindOf(of)]);
    return [columnName(field), Object.fromEntries(kinds)] as const;
  });
  return new Map(tables);
}

test('the table types match the catalogue', async () => {
  const { db } = await testApp();
  const typed = typedTables();
  ok(typed.size > 10);
  const opening = {
    role: 'kr_read' as const,
    scope: { workspaceId: null, envs: [] },
    deadline: deadlineAfter(10_000),
  };
  for (const [table, fields] of typed) {
    const { rows } = await db.once(opening, {
      text: `select attname::text as name, format_type(atttypid, null) as type, attnotnull as filled
        from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      values: [table],
    });
    const columns = rows.map(({ name, type, filled }) => [
      camelName(String(name)),
      `${KINDS[String(type)] ?? type}${filled ? '' : ' or null'}`,
    ]);
    deepEqual(fields, Object.fromEntries(columns), table);
  }
});
