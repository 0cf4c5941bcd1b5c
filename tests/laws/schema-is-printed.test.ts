// packages/server/src/db/schema.sql shows the current schema, so that readers don't have to piece
// it together from the migrations.
import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { printedSchema, SCHEMA_PATH } from '../../scripts/printed-schema.ts';

test('the printed schema matches the migrations', async () => {
  const text = readFileSync(SCHEMA_PATH, 'utf8');
  equal(text, await printedSchema(), 'run: node scripts/printed-schema.ts');
});
