// Each endpoint's input, according to its schemas: the names of its fields, and values that match.
import { pathParams, querySchemaOf } from '@keyrail/protocol/endpoint.ts';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { type JsonObject, jsonSchemaOf } from '@keyrail/protocol/json-schema.ts';
import fc from 'fast-check';
import { endpointOf } from './lines.ts';

export type Field = { name: string; part: 'path' | 'query' | 'body'; schema: JsonObject };

const components: Record<string, JsonObject> = {};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns the body's JSON Schema, or null if the endpoint expects no JSON body. */
export function bodySchemaOf(line: AnyLine): JsonObject | null {
  const { body, rawBody } = endpointOf(line);
  const schema = body === 'raw' ? rawBody : body;
  return schema ? resolved(jsonSchemaOf(schema, 'input', components)) : null;
}

/** Lists every field that a caller may send, in any part of the request. */
export function fieldsOf(line: AnyLine): Field[] {
  const query = querySchemaOf(endpointOf(line));
  const inPart = (part: 'query' | 'body', schema: JsonObject | null): Field[] =>
    Object.entries(objectOr(schema?.properties)).map(([name, each]) => ({
      name,
      part,
      schema: resolved(objectOr(each)),
    }));
  return [
    ...pathParams(line).map((name): Field => ({ name, part: 'path', schema: UUID })),
    ...inPart('query', query ? jsonSchemaOf(query, 'input', components) : null),
    ...inPart('body', bodySchemaOf(line)),
  ];
}

const UUID: JsonObject = { type: 'string', format: 'uuid' };

export function resolved(schema: JsonObject): JsonObject {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : resolved(components[name] ?? {});
}

/** Generates values that match a schema and its limits. */
export function fitting(unresolved: JsonObject): fc.Arbitrary<unknown> {
  const schema = resolved(unresolved);
  const choices = [schema.anyOf, schema.oneOf].find((each) => Array.isArray(each));
  if (choices) return fc.oneof(...choices.map((each) => fitting(objectOr(each))));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type })));
  }
  switch (schema.type) {
    case 'string':
      return fittingText(schema);
    case 'integer':
    case 'number':
      return fittingNumber(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fittingArray(schema);
    case 'object':
      return fittingObject(schema);
    default:
      return fc.jsonValue({ maxDepth: 4 });
  }
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const LONG_CHARS = 1000;

function fittingText(schema: JsonObject): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'email') return fc.emailAddress();
  if (schema.format === 'date-time') return fittingTime;
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern));
  const least = numberOr(schema.minLength, 0);
  const most = Math.min(numberOr(schema.maxLength, LONG_CHARS), LONG_CHARS);
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.min(most, least + 40) }),
    fc.string({ unit: 'binary', minLength: least, maxLength: Math.min(most, least + 40) }),
    fc.constantFrom('x'.repeat(least), 'x'.repeat(most), '😀'.repeat(most)),
  );
}

const fittingTime = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((at) => at.toISOString()),
  fc.constantFrom(
    '0001-01-01T00:00:00Z',
    '0099-12-31T23:59:59Z',
    '9999-12-31T23:59:59.999999999Z',
    '2024-02-29T23:59:59+23:59',
    '1969-12-31T23:59:59.999-00:00',
  ),
);

function fittingNumber(schema: JsonObject): fc.Arbitrary<number> {
  const above = numberOr(schema.exclusiveMinimum, -1e9) + Number.MIN_VALUE;
  const least = numberOr(schema.minimum, above);
  const most = numberOr(schema.maximum, 1e9);
  const edges = fc.constantFrom(least, most, least + 1, most - 1);
  if (schema.type === 'number') {
    return fc.oneof(edges, fc.double({ min: least, max: most, noNaN: true }));
  }
  return fc.oneof(
    edges,
    fc.maxSafeInteger().map((n) => least + (Math.abs(n) % (most - least + 1))),
  );
}

function fittingArray(schema: JsonObject): fc.Arbitrary<unknown[]> {
  const most = numberOr(schema.maxItems, 5);
  const item = fitting(objectOr(schema.items));
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(item, { maxLength: Math.min(most, 5) }) },
    {
      weight: 1,
      arbitrary: fc.array(item, { minLength: Math.min(most, 100), maxLength: Math.min(most, 100) }),
    },
  );
}

function fittingObject(schema: JsonObject): fc.Arbitrary<unknown> {
  const properties = Object.entries(objectOr(schema.properties));
  if (properties.length === 0) {
    return fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 3 }));
  }
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return fc.record(
    Object.fromEntries(properties.map(([name, each]) => [name, fitting(objectOr(each))])),
    { requiredKeys: required },
  );
}
