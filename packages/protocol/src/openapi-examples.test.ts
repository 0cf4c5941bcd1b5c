// Every example is a request that the server accepts or a response that it can send.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from './endpoint.ts';
import { allEndpoints } from './endpoints/all.ts';
import { type Components, jsonSchemaOf } from './json-schema.ts';
import { exampleBody, exampleResponse } from './openapi-examples.ts';

const all: [string, Endpoint][] = Object.entries(allEndpoints);

test("every example body passes its endpoint's validation", () => {
  for (const [line, { body, rawBody }] of all) {
    const type = body === 'raw' ? rawBody : body;
    if (!type) continue;
    const components: Components = {};
    const sample = exampleBody(jsonSchemaOf(type, 'input', components), line, components);
    const parsed = type.safeParse(sample);
    ok(parsed.success, `${line}: ${parsed.error?.message}`);
  }
});

test("every example response matches one of its endpoint's response schemas", () => {
  for (const [line, { answers }] of all) {
    for (const [status, type] of Object.entries(answers)) {
      if (!type) continue;
      const components: Components = {};
      const sample = exampleResponse(jsonSchemaOf(type, 'output', components), line, components);
      const parsed = type.safeParse(sample);
      ok(parsed.success, `${line} ${status}: ${parsed.error?.message}`);
    }
  }
});
