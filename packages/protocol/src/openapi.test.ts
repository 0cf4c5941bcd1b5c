// The generated OpenAPI document is complete, and all of its references resolve.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathParams, splitLine } from './endpoint.ts';
import { allEndpoints } from './endpoints/all.ts';
import { buildOpenApi } from './openapi.ts';
import { auditActions, noticeTypes, TEST_EVENT } from './wire/event-types.ts';

type Node = { [key: string]: Node };

// The document is serialised and parsed again, because clients receive it as JSON.
const document: Node = JSON.parse(
  JSON.stringify(buildOpenApi({ url: 'https://keys.example.com', version: '1.2.3' })),
);
const lines = Object.keys(allEndpoints);

/** Generated clients use these names, so entries may be added but never changed. */
const pinned: Record<string, string> = JSON.parse(
  readFileSync(new URL('./vectors/operation-ids.json', import.meta.url), 'utf8'),
);

test("the document contains the OpenAPI version, the product version and the server's URL", () => {
  equal(document.openapi, '3.1.1');
  equal(document.info?.version, '1.2.3');
  deepEqual(document.servers, [{ url: 'https://keys.example.com' }]);
});

test('the document lists every endpoint and no others', () => {
  const documented = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  deepEqual(documented.toSorted(), lines.toSorted());
});

test("operation IDs and tags match the client's method names and never change", () => {
  const found = lines.map((line) => {
    const { operationId, tags } = operationOf(line);
    return [line, `${tags?.[0]} ${operationId}`];
  });
  deepEqual(Object.fromEntries(found), pinned);
});

test('every operation ID is unique, including those of events', () => {
  const items = [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})];
  const ids = items.flatMap((item) => Object.values(item).map((each) => String(each.operationId)));
  equal(ids.length, lines.length + Object.keys(document.webhooks ?? {}).length);
  for (const id of ids) match(id, /^[a-z]+([A-Z][a-z]+)+$/);
  deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
});

test('every event has a description and a schema that allows its type', () => {
  const webhooks = document.webhooks ?? {};
  deepEqual(Object.keys(webhooks), [...auditActions, ...noticeTypes, TEST_EVENT]);
  for (const [type, { post = {} }] of Object.entries(webhooks)) {
    const { schema } = post.requestBody?.content?.['application/json'] ?? {};
    const [event, own] = Object.values(schema?.allOf ?? {});
    deepEqual(own, { properties: { type: { const: type } } });
    const { properties } = follow(String(event?.$ref)) ?? {};
    const types = properties?.type?.enum ?? [properties?.type?.const];
    ok(Object.values(types).map(String).includes(type), type);
    match(String(post.description), /^\S.*\.$/, type);
  }
});

test('every reference resolves', () => {
  const refs = [...refsIn(document)];
  ok(refs.length > 200);
  for (const ref of refs) ok(follow(ref), ref);
});

test('every component is used', () => {
  const used = new Set(refsIn(document));
  for (const kind of ['schemas', 'responses']) {
    const names = Object.keys(document.components?.[kind] ?? {});
    ok(names.length > 0);
    for (const name of names) ok(used.has(`#/components/${kind}/${name}`), name);
  }
  const schemes = lines.flatMap((line) => Object.values(operationOf(line).security ?? {}));
  const accepted = new Set(schemes.flatMap((scheme) => Object.keys(scheme)));
  deepEqual(accepted, new Set(Object.keys(document.components?.securitySchemes ?? {})));
});

test('every tag is used and described, and every operation has a description that differs from its summary', () => {
  const tags = Object.values(document.tags ?? {});
  const used = lines.map((line) => String(operationOf(line).tags?.[0]));
  deepEqual(new Set(used), new Set(tags.map(({ name }) => String(name))));
  for (const { name, description } of tags) match(String(description), /\w.*\.$/, String(name));
  for (const line of lines) {
    const { summary, description } = operationOf(line);
    match(String(description), /^\S.*\.$/, line);
    notEqual(String(description).replace(/\.$/, ''), String(summary), line);
  }
});

test('every operation documents client errors, and conflicts where they can occur', () => {
  const has = (status: string) => (line: string) => status in (operationOf(line).responses ?? {});
  ok(lines.every(has('400')));
  // Server tests fail if any other endpoint responds with a conflict.
  const conflictOf = (line: string) => operationOf(line).responses?.['409']?.description;
  deepEqual(lines.filter(conflictOf), [
    'POST /v1/auth/invites/accept',
    'POST /v1/workspaces',
    'PATCH /v1/members/{userId}',
    'DELETE /v1/members/{userId}',
    'POST /v1/invites/{id}/revoke',
    'POST /v1/projects',
    'POST /v1/tenants',
    'PATCH /v1/tenants/{id}',
    'POST /v1/keys',
    'PATCH /v1/keys/{id}',
    'POST /v1/keys/{id}/rotate',
    'POST /v1/keys/{id}/disable',
    'POST /v1/keys/{id}/enable',
    'POST /v1/keys/import',
    'POST /v1/secret_keys',
    'PATCH /v1/secret_keys/{id}',
    'POST /v1/secret_keys/{id}/rotate',
    'POST /v1/embed/keys',
    'POST /v1/embed/keys/{id}/rotate',
    'GET /v1/policy/snapshot',
    'GET /v1/policy/delta',
    'POST /v1/ingest/batch',
    'POST /v1/webhook_endpoints',
    'POST /v1/webhook_endpoints/{id}/test',
    'POST /v1/webhook_deliveries/{id}/retry',
  ]);
  deepEqual(operationOf('POST /v1/projects').responses?.['409'], {
    $ref: '#/components/responses/Refused409',
    description: 'The slug is taken.',
  });
});

test('an endpoint that accepts an idempotency key documents its conflicts and its replayed response', () => {
  const keyed = lines.filter((line) =>
    parametersOf(line).some(({ name }) => String(name) === 'Idempotency-Key'),
  );
  ok(keyed.includes('POST /v1/keys') && keyed.includes('POST /v1/invites/{id}/revoke'));
  for (const other of ['GET /v1/keys', 'PATCH /v1/keys/{id}', 'POST /v1/embed/keys']) {
    equal(keyed.includes(other), false, other);
  }
  for (const line of keyed) {
    const { responses = {} } = operationOf(line);
    ok('409' in responses && '422' in responses, line);
    const success = responses['201'] ?? responses['200'];
    ok('Idempotent-Replayed' in (success?.headers ?? {}), line);
  }
});

test('every path parameter is declared', () => {
  for (const line of lines) {
    const declared = parametersOf(line).filter((parameter) => String(parameter.in) === 'path');
    deepEqual(
      declared.map(({ name }) => String(name)),
      pathParams(line),
    );
  }
});

test('query parameters are documented as numbers and arrays, not as text', () => {
  const parameters = parametersOf('GET /v1/policy/delta');
  const schemaOf = (name: string) => parameters.find((each) => String(each.name) === name);
  equal(schemaOf('since')?.required, true);
  equal(schemaOf('since')?.schema?.type, 'integer');
  equal(schemaOf('env')?.required, false);
  equal(schemaOf('tenant_id')?.schema?.type, 'array');
  equal(schemaOf('wait_ms')?.schema?.maximum, 30000);
});

test('only a snapshot request can have If-None-Match; snapshot and delta responses both have an ETag', () => {
  const takesTag = (line: string) =>
    parametersOf(line).some(({ name }) => String(name) === 'If-None-Match');
  deepEqual(lines.filter(takesTag), ['GET /v1/policy/snapshot']);
  for (const line of ['GET /v1/policy/snapshot', 'GET /v1/policy/delta']) {
    const { responses } = operationOf(line);
    ok(responses?.['200']?.headers?.ETag, line);
    ok(responses?.['304']?.headers?.ETag, line);
  }
  ok(!operationOf('GET /v1/keys').responses?.['200']?.headers?.ETag);
});

test('timestamps in requests are strings; request objects reject unknown fields, but response objects allow them', () => {
  const create = operationOf('POST /v1/keys').requestBody?.content?.['application/json']?.schema;
  deepEqual(create?.properties?.expires_at, { type: 'string', format: 'date-time' });
  equal(create?.additionalProperties, false);
  const schemas = document.components?.schemas;
  equal(schemas?.RateLimitInput?.additionalProperties, false);
  ok(!('additionalProperties' in (schemas?.ApiKey ?? {})));
});

test('the document includes the length limits of strings', () => {
  const create = operationOf('POST /v1/tenants').requestBody?.content?.['application/json']?.schema;
  deepEqual(create?.properties?.external_id, { type: 'string', minLength: 1, maxLength: 200 });
});

test('the document includes the minimum length of a new password', () => {
  const passwordOf = (line: string) =>
    operationOf(line).requestBody?.content?.['application/json']?.schema?.properties?.password;
  for (const line of [
    'POST /v1/auth/users',
    'POST /v1/auth/me/password',
    'POST /v1/auth/password_resets/consume',
  ]) {
    ok(String(passwordOf(line)?.description).startsWith('At least 12 characters'), line);
  }
  equal(passwordOf('POST /v1/auth/sessions')?.description, undefined);
});

test("throttled endpoints document a 429 response, and other endpoints don't", () => {
  const isBounded = (line: string) => '429' in (operationOf(line).responses ?? {});
  for (const line of [
    'POST /v1/ingest/batch',
    'POST /v1/auth/sessions',
    'POST /v1/ratelimit/check',
    'POST /v1/ratelimit/lease',
    'POST /v1/embed/keys',
  ]) {
    ok(isBounded(line), line);
  }
  for (const line of ['POST /v1/keys', 'GET /healthz']) ok(!isBounded(line), line);
});

test('the document contains no leftovers from the schema generator', () => {
  const text = JSON.stringify(document);
  for (const trace of ['$defs', '"jsonSchema"', '"$schema"', '~standard']) {
    ok(!text.includes(trace), trace);
  }
});

function operationOf(line: string): Node {
  const { method, path } = splitLine(line);
  return document.paths?.[path]?.[method.toLowerCase()] ?? {};
}

const parametersOf = (line: string): Node[] => Object.values(operationOf(line).parameters ?? {});

function* refsIn(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else yield* refsIn(inner);
  }
}

function follow(ref: string): Node | undefined {
  let here: Node | undefined = document;
  for (const step of ref.replace('#/', '').split('/')) here = here?.[step];
  return here;
}
