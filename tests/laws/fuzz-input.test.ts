// Random input to any endpoint causes no 5xx, no malformed response and no crash. (On an unhandled
// rejection, the test runner itself fails.) FUZZ_RUNS sets the total number of random requests; a
// failure prints the seed that reproduces it.
import { equal, ok } from 'node:assert/strict';
import { before, test } from 'node:test';
import { pathParams, querySchemaOf, splitLine } from '@keyrail/protocol/endpoint.ts';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { ErrorBody } from '@keyrail/protocol/objects/error-body.ts';
import { BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { ORIGIN } from '@keyrail/testing/embed.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { newPerson } from '@keyrail/testing/people.ts';
import { signedHeaders } from '@keyrail/testing/scanner.ts';
import { BOOTSTRAP_TOKEN } from '@keyrail/testing/test-app.ts';
import fc from 'fast-check';
import type { LightMyRequestResponse as Response } from 'fastify';
import type { Fixture } from './fixtures.ts';
import {
  hostileBodies,
  hostileIds,
  hostileNames,
  hostileQueries,
  hostileTypes,
  hostileValue,
  jsonOf,
} from './hostile.ts';
import { bodySchemaOf, fieldsOf, fitting } from './inputs.ts';
import { anyIds, endpointOf, fixtureOf, isGet, isWrite, served } from './lines.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? inRun({ usual: 600, full: 2000 }));
const inputless = served.filter((line) => fieldsOf(line).length === 0);
const runsEach = Math.ceil(RUNS / (served.length - inputless.length));

let app: Harness;
before(async (t) => {
  app = await harness(t as never);
});

/** The bearer token of a caller that may make the call. Each endpoint gets a new visitor. */
const tokens: Record<Fixture['caller'], () => Promise<string | null> | string | null> = {
  nobody: () => null,
  bootstrap: () => BOOTSTRAP_TOKEN,
  liveKey: () => app.tokens.liveKey,
  owner: async () => (await app.people.owner()).token,
  embed: async () => (await app.embed()).token,
  scanner: () => null,
  visitor: async () => {
    const as = (token: string | null) => (token === null ? app.as.nobody : app.as.token(token));
    return (await newPerson(app.testApp, as)).token;
  },
};

const tokenFor = (line: AnyLine) => tokens[fixtureOf(line).caller]();

type Sent = { url: string; token: string | null; body?: string | Buffer; type?: string };

async function send(line: AnyLine, { url, token, body, type }: Sent): Promise<Response> {
  const response = await app.testApp.app.http.inject({
    method: splitLine(line).method,
    url,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(endpointOf(line).auth === 'embed' && { origin: ORIGIN }),
      // Signs the body, because a request without a signature is rejected before its body is read.
      ...(endpointOf(line).auth === 'signature' && signedHeaders(body ?? '')),
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
    },
    ...(body !== undefined && { payload: body }),
  });
  holds(response, `${line} ${url.slice(0, 200)}`);
  return response;
}

function holds(response: Response, what: string): void {
  const { statusCode, body, headers } = response;
  const summary = `${what} → ${statusCode} ${body.slice(0, 300)}`;
  ok(statusCode < 500, summary);
  ok(headers['x-request-id'], summary);
  ok(body.length < 200_000 || statusCode < 300, `${what} was rejected with ${body.length} bytes`);
  equal(Reflect.get({}, 'polluted'), undefined, summary);
  if (statusCode < 400) return;
  equal(headers['content-type'], 'application/json; charset=utf-8', summary);
  ok(ErrorBody.safeParse(JSON.parse(body)).success, summary);
}

/** Splits an input, with whatever values it has, into path, query and body. */
function wired(line: AnyLine, input: Input): { url: string; body?: string } {
  const { body } = endpointOf(line);
  const query = querySchemaOf(endpointOf(line));
  const text = (value: unknown = '') =>
    (typeof value === 'string' ? value : jsonOf(value)).toWellFormed();
  let url = splitLine(line).path;
  for (const name of pathParams(line)) {
    url = url.replace(`{${name}}`, () => encodeURIComponent(text(input[name]).slice(0, 4000)));
  }
  const names = Object.keys(input).filter((name) => !pathParams(line).includes(name));
  const asked = names.filter((name) => (isGet(line) ? true : query && name in query.shape));
  const parameters = new URLSearchParams();
  for (const name of asked) {
    for (const value of [input[name]].flat().slice(0, 100)) {
      parameters.append(name, text(value).slice(0, 4000));
    }
  }
  if (parameters.size > 0) url += `?${parameters}`;
  if (isGet(line) || body === undefined) return { url };
  const rest = Object.entries(input).filter(
    ([name]) => names.includes(name) && !asked.includes(name),
  );
  return { url, body: jsonOf(Object.fromEntries(rest)) };
}

type Change = { name: string; value: unknown };

/**
 * Generates a valid input with one field changed in seven cases out of ten; otherwise, random
 * input.
 */
function changesOf(line: AnyLine): fc.Arbitrary<Change[] | { body: unknown }> {
  const fields = fieldsOf(line);
  const one = (value: (name: string) => fc.Arbitrary<unknown>): fc.Arbitrary<Change[]> =>
    fc
      .constantFrom(...fields.map(({ name }) => name))
      .chain((name) => value(name).map((made) => [{ name, value: made }]));
  const fits = (name: string) => fitting(fields.find((field) => field.name === name)?.schema ?? {});
  const all = fc.record(Object.fromEntries(fields.map(({ name }) => [name, fits(name)])), {
    requiredKeys: [],
  });
  return fc.oneof(
    { weight: 30, arbitrary: one(() => hostileValue) },
    { weight: 25, arbitrary: one(fits) },
    { weight: 5, arbitrary: one(() => fc.constant(undefined)) },
    {
      weight: 10,
      arbitrary: fc
        .tuple(fc.constantFrom(...hostileNames), hostileValue)
        .map(([name, value]) => [{ name, value }]),
    },
    {
      weight: 20,
      arbitrary: all.map((made) => Object.entries(made).map(([name, value]) => ({ name, value }))),
    },
    {
      weight: 10,
      arbitrary: fc
        .oneof(hostileValue, fitting(bodySchemaOf(line) ?? {}))
        .map((body) => ({ body })),
    },
  );
}

function changed(valid: Input, changes: Change[]): Input {
  const input = Object.assign(Object.create(null), valid);
  for (const { name, value } of changes) {
    if (value === undefined) delete input[name];
    else input[name] = value;
  }
  return input;
}

for (const line of served.filter((each) => !inputless.includes(each))) {
  test(`${line} survives random input`, async () => {
    const fixture = fixtureOf(line);
    const token = await tokenFor(line);
    let valid = await fixture.input(app);
    await fc.assert(
      fc.asyncProperty(changesOf(line), fc.nat(9), async (change, dice) => {
        const made = Array.isArray(change)
          ? wired(line, changed(valid, change))
          : { ...wired(line, valid), body: jsonOf(change.body) };
        const asTest = dice === 0 && fixture.caller === 'liveKey';
        const bearer = asTest ? app.tokens.testKey : token;
        const { statusCode } = await send(line, { ...made, token: bearer });
        // A successful write may have used up the valid input, for example by deleting the object,
        // so the next request gets a new one.
        if (isWrite(line) && statusCode < 300) valid = await fixture.input(app);
      }),
      { numRuns: runsEach },
    );
  });
}

test('every endpoint rejects hostile bodies, even if it expects no body', async () => {
  for (const [at, line] of served.filter((each) => !isGet(each)).entries()) {
    const { url } = wired(line, anyIds(line));
    const schema = bodySchemaOf(line);
    const token = await tokenFor(line);
    // All endpoints parse bodies the same way and large bodies are slow, so a few endpoints are
    // enough.
    const bodies = Object.values(hostileBodies).filter(
      ({ length }) => length < 1e5 || at % 4 === 0,
    );
    for (const body of bodies) {
      const { statusCode } = await send(line, { url, token, body });
      const text = String(body.subarray(0, 80));
      // An empty list is valid if the endpoint expects a list.
      const isFine = schema === null || (schema.type === 'array' && text === '[]');
      ok(isFine || statusCode >= 400, `${line} took ${text}`);
    }
    await send(line, { url, token, body: '' });
    await send(line, { url, token });
  }
});

test('hostile content types are rejected by exactly the endpoints that expect JSON', async () => {
  ok(hostileTypes.length >= 30);
  for (const line of served.filter((each) => bodySchemaOf(each) !== null)) {
    const { url } = wired(line, anyIds(line));
    const token = await tokenFor(line);
    for (const type of hostileTypes) {
      const { statusCode } = await send(line, { url, token, body: '{}', type });
      equal(statusCode === 415, !endpointOf(line).anyContentType, `${line} as ${type}`);
    }
  }
});

test('a body may be exactly as large as its endpoint allows', async () => {
  for (const line of served.filter((each) => bodySchemaOf(each) !== null)) {
    const { url } = wired(line, anyIds(line));
    const token = await tokenFor(line);
    const most = endpointOf(line).bodyBytesMax ?? BODY_BYTES_MAX;
    const within = await send(line, { url, token, body: '{}'.padEnd(most) });
    ok(within.statusCode !== 413, line);
    const beyond = await send(line, { url, token, body: '{}'.padEnd(most + 1) });
    equal(beyond.statusCode, 413, line);
    equal(beyond.json().error.code, 'payload_too_large');
  }
});

test('every endpoint with an ID rejects hostile IDs as malformed', async () => {
  for (const line of served.filter((each) => pathParams(each).length > 0)) {
    const token = await tokenFor(line);
    for (const id of hostileIds) {
      const url = splitLine(line).path.replaceAll(/\{\w+\}/g, () => id);
      const { statusCode } = await send(line, { url, token });
      equal(statusCode, 400, `${line} ${id.slice(0, 50)}`);
    }
  }
});

test('no endpoint fails when it receives a hostile query', async () => {
  for (const line of served) {
    const { url } = wired(line, anyIds(line));
    const token = await tokenFor(line);
    const queries = querySchemaOf(endpointOf(line)) ? hostileQueries : hostileQueries.slice(0, 5);
    for (const query of queries) await send(line, { url: `${url}${query}`, token });
  }
});
