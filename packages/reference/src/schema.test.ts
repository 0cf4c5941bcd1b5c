// Field tables: types in words, limits, and nested fields with their parent's path.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { type AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { type Components, jsonSchemaOf } from '@keyrail/protocol/json-schema.ts';
import { type FieldRow, type Row, rowsOf } from './schema.ts';

function bodyRows(line: AnyLine): Row[] {
  const { body }: Endpoint = allEndpoints[line];
  ok(body && body !== 'raw');
  const components: Components = {};
  return rowsOf(jsonSchemaOf(body, 'input', components), components, 'input');
}

function answerRows(line: AnyLine, status: number): Row[] {
  const { answers }: Endpoint = allEndpoints[line];
  const type = answers[status];
  ok(type);
  const components: Components = {};
  return rowsOf(jsonSchemaOf(type, 'output', components), components, 'output');
}

const fields = (rows: readonly Row[]): FieldRow[] => rows.filter((row) => 'name' in row);

const field = (rows: readonly Row[], path: string): FieldRow => {
  const found = fields(rows).find(({ parents, name }) => parents + name === path);
  ok(found, path);
  return found;
};

test('a field shows its type, limits and default, and whether it is required', () => {
  const rows = bodyRows('POST /v1/keys');
  deepEqual(field(rows, 'project_id'), {
    parents: '',
    name: 'project_id',
    type: 'uuid',
    isRequired: true,
    notes: [],
    meaning: null,
  });
  equal(field(rows, 'env').type, 'live | test');
  deepEqual(field(rows, 'scopes').notes, ['at most 64 items', 'each 1 to 200 characters']);
  equal(field(rows, 'scopes').isRequired, false);
  const overlap = field(bodyRows('POST /v1/keys/{id}/rotate'), 'overlap_hours');
  deepEqual(overlap.notes, ['0 to 168', 'default `24`']);
});

test('a field shows its description', () => {
  const rows = answerRows('POST /v1/keys', 201);
  ok(field(rows, 'rate_limits').meaning?.startsWith('`null` means the project'));
});

test("a nested field is shown with its parent's path", () => {
  const window = field(bodyRows('POST /v1/keys'), 'rate_limits[].window_ms');
  deepEqual(window.notes, ['1,000 to 2,678,400,000']);
  const rows = answerRows('GET /v1/secret_keys', 200);
  equal(field(rows, 'data[].revoked_at').type, 'timestamp or null');
  equal(field(answerRows('GET /v1/audit_logs', 200), 'data[].actor.email').type, 'string');
});

test("a response's fields are shown without limits, and optional ones are marked", () => {
  const rows = answerRows('GET /v1/audit_logs', 200);
  deepEqual(field(rows, 'data[].seq').notes, []);
  equal(field(rows, 'data[].actor').isRequired, false);
});

test('in a list of alternative schemas, each one is identified by a field with a fixed value', () => {
  const heads = answerRows('GET /v1/policy/delta', 200).filter((row) => 'when' in row);
  deepEqual(
    heads.map(({ when }) => when),
    [
      '`object` is `"policy_delta"`',
      '`change` is `"upsert"`',
      '`change` is `"remove"`',
      '`object` is `"policy_snapshot"`',
    ],
  );
});

test('for a nullable enum, null is listed as one of the values', () => {
  equal(field(answerRows('GET /v1/policy/snapshot', 200), 'env').type, 'live | test | null');
});
