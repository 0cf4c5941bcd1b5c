// Examples: every one must be a request that the server would take, and an answer it could give.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { type Components, jsonSchemaOf } from '@keyrail/protocol/json-schema.ts';
import { curlFor, sampleAnswer, sampleBody } from './reference-example.ts';

const all: [string, Endpoint][] = Object.entries(allEndpoints);
const url = 'https://keys.example.com';

test('every example body passes the checks of its endpoint', () => {
  for (const [line, { body, rawBody }] of all) {
    const type = body === 'raw' ? rawBody : body;
    if (!type) continue;
    const components: Components = {};
    const sample = sampleBody(jsonSchemaOf(type, 'input', components), line, components);
    const parsed = type.safeParse(sample);
    ok(parsed.success, `${line}: ${parsed.error?.message}`);
  }
});

test('every example answer is one that the endpoint may give', () => {
  for (const [line, { answers }] of all) {
    for (const [status, type] of Object.entries(answers)) {
      if (!type) continue;
      const components: Components = {};
      const sample = sampleAnswer(jsonSchemaOf(type, 'output', components), line, components);
      const parsed = type.safeParse(sample);
      ok(parsed.success, `${line} ${status}: ${parsed.error?.message}`);
    }
  }
});

const curl = (line: string, more: { query?: string[]; body?: unknown } = {}): string => {
  const endpoint = all.find(([known]) => known === line)?.[1];
  ok(endpoint, line);
  return curlFor({ line, endpoint, url, query: [], body: undefined, ...more });
};

test('a command names its method only when curl would choose another', () => {
  match(curl('GET /v1/workspace'), /^curl https:\/\/keys\.example\.com\/v1\/workspace \\\n/);
  match(curl('POST /v1/secret_keys', { body: { env: 'test' } }), /^curl https:/);
  match(curl('DELETE /v1/projects/{id}'), /^curl -X DELETE https:\S+\/v1\/projects\/\$ID \\\n/);
});

test('a command sends the credential that its endpoint takes', () => {
  match(curl('GET /v1/workspace'), /Bearer \$SECRET_KEY/);
  match(curl('GET /v1/auth/me'), /Bearer \$SESSION/);
  match(curl('POST /v1/workspaces', { body: {} }), /Bearer \$BOOTSTRAP_TOKEN/);
  equal(curl('GET /healthz'), `curl ${url}/healthz`);
});

test('a body survives the quoting of the shell', () => {
  const body = { reason: "It's out" };
  match(curl('POST /v1/secret_keys/{id}/revoke', { body }), /-d '\{"reason":"It'\\''s out"\}'$/);
});
