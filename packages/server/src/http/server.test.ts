// What the server does around the routes: headers, request IDs, and errors raised before any route
// runs.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { METHODS } from 'node:http';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { Endpoint, Line } from '@keyrail/protocol/endpoint.ts';
import { RateLimits } from '@keyrail/protocol/validators.ts';
import { BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { z } from 'zod';
import { openLog } from '../base/log.ts';
import { createCursors } from './cursor.ts';
import { Reply, type ServedRoute } from './route.ts';
import { buildServer, type ServerParts } from './server.ts';

const open: Endpoint = {
  auth: 'none',
  summary: '',
  description: '',
  answers: { 200: z.looseObject({}) },
};

const route = (line: Line, endpoint: Partial<Endpoint>, run: ServedRoute['run']): ServedRoute => ({
  line,
  endpoint: { ...open, ...endpoint } as Endpoint,
  boundary: 'none',
  door: 'none',
  run,
});

const Rules = z.strictObject({ rate_limits: RateLimits.optional() });

const texts = { ascii: 'key', latin: 'Schlüssel ÿ', wide: 'ключ 鍵 🔑', none: '' };

const routes = [
  route('GET /things', { query: z.strictObject({ of: z.string().optional() }) }, () => ({ a: 1 })),
  route('GET /things/{id}', {}, ({ params }) => ({ params })),
  route('POST /things', { body: Rules }, ({ body }) => ({ body })),
  route('POST /small', { body: z.looseObject({}), bodyBytesMax: 10 }, () => ({})),
  route('DELETE /things/{id}', {}, () => ({})),
  route('GET /fails', {}, () => {
    throw new Error('select hash from passwords where x = 1');
  }),
  route('GET /throws-no-error', {}, () => {
    throw Object.assign(Object.create(null), { text: 'krsk_live_secret' });
  }),
  route('GET /off-schema', { answers: { 200: z.strictObject({ a: z.int() }) } }, () => ({ b: 1 })),
  route('GET /undeclared', {}, () => new Reply({}, { status: 299 })),
  ...Object.entries(texts).map(([name, text]) => route(`GET /texts/${name}`, {}, () => ({ text }))),
  route('GET /pages', { query: z.looseObject({}) }, () => new Reply({}, { next: ['p'] })),
];

/**
 * Builds a server without the parts that access the database, because the routes in this file don't
 * use it.
 */
function server(t: TestContext, more: Partial<ServerParts> = {}): FastifyInstance {
  let ids = 0;
  const parts = {
    cursors: createCursors(Buffer.alloc(32)),
    checkAnswers: true,
    chargeEmbedChange: () => {},
    notePermission: () => {},
    chargeClient: async () => {},
    log: openLog('silent', process.stderr),
    newRequestId: () => `made-${++ids}`,
    publicUrl: 'http://keyrail.test',
    trustProxy: false,
    ...more,
  };
  const app = buildServer(routes, parts as ServerParts);
  t.after(() => app.close());
  return app;
}

const post = (url: string, payload: string | Buffer, type = 'application/json'): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: { 'content-type': type },
});

test('a request body sent without a credential may contain at most a thousand values', async (t) => {
  const app = server(t);
  const named = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n])));
  const few = (await app.inject(post('/things', named(1000)))).json();
  equal(few.error.details[0].message, 'Unknown field.');
  const many = (await app.inject(post('/things', named(1001)))).json();
  deepEqual(many.error.details, [{ path: '', message: 'More than 1000 values.' }]);
});

test('an error about unknown parameters lists at most a hundred names, and shortens long ones', async (t) => {
  const names = Array.from({ length: 20_000 }, (_, n) => n.toString(36));
  for (const query of [names.join('&'), `${'a'.repeat(90_000)}=1`]) {
    for (const path of ['/texts/none', '/things']) {
      const { statusCode, body } = await server(t).inject({ url: `${path}?${query}` });
      equal(statusCode, 400);
      ok(body.length < 10_000, `${body.length} bytes`);
    }
  }
});

const standard = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const refusals: [string, InjectOptions, string][] = [
  ['an unknown path', { url: '/nowhere' }, '404 not_found'],
  ['a path with a trailing slash', { url: '/small/' }, '404 not_found'],
  ['a path in capitals', { url: '/Things' }, '404 not_found'],
  ['an unknown path with an unusual method', { method: 'QUERY', url: '/nowhere' } as never, '404'],
  ['an unknown path with a large body', post('/nowhere', ' '.repeat(BODY_BYTES_MAX + 1)), '404'],
  ['broken percent-encoding', { url: '/things/%zz' }, '400 invalid_request'],
  ['a truncated percent-encoding', { url: '/things/%' }, '400 invalid_request'],
  ['broken UTF-8 in the path', { url: '/things/%ff' }, '400 invalid_request'],
  ['an overlong parameter', { url: `/things/${'a'.repeat(17_000)}` }, '400 invalid_request'],
  ['a long parameter', { url: `/things/${'a'.repeat(15_000)}` }, '400 invalid_request'],
  ['an unknown parameter', { url: '/things?off=1' }, '400 invalid_request'],
  ['a repeated parameter', { url: '/things?of=1&of=2' }, '400 invalid_request'],
  ['NUL in a parameter', { url: '/things?of=%00' }, '400 invalid_request'],
  ['a different content type', post('/things', '{}', 'text/plain'), '415 unsupported_media_type'],
  ['broken JSON', post('/things', '{'), '400 invalid_request'],
  ['an oversized body', post('/things', ' '.repeat(BODY_BYTES_MAX + 1)), '413 payload_too_large'],
  ["a body over its endpoint's limit", post('/small', '{"a":12345}'), '413 payload_too_large'],
  ['an unexpected failure', { url: '/fails' }, '500 internal_error'],
];

test('the error for an unknown path points to /docs', async (t) => {
  match((await server(t).inject({ url: '/nowhere' })).json().error.message, /\/docs/);
});

for (const [what, request, expected] of refusals) {
  test(`${what} gets ${expected}, with the standard body and headers`, async (t) => {
    const answer = await server(t).inject(request);
    const { error, ...rest } = answer.json();
    ok(`${answer.statusCode} ${error.code}`.startsWith(expected), answer.body);
    deepEqual(rest, {});
    equal(typeof error.message, 'string');
    equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    match(String(answer.headers['x-request-id']), /^made-\d+$/);
    for (const [name, value] of Object.entries(standard)) equal(answer.headers[name], value, name);
  });
}

test('successful responses have the standard headers too, with HSTS only if the public URL is https', async (t) => {
  const plain = await server(t).inject('/things');
  for (const [name, value] of Object.entries(standard)) equal(plain.headers[name], value, name);
  equal(plain.headers['strict-transport-security'], undefined);
  const secure = await server(t, { publicUrl: 'https://keyrail.test' }).inject('/things');
  match(String(secure.headers['strict-transport-security']), /^max-age=\d{8,}; includeSubDomains$/);
});

const requestIds: [string, boolean][] = [
  ['req-1', true],
  ['01890000-0000-7000-8000-000000000000', true],
  ['a.b:c_d', true],
  ['req.'.repeat(32), true],
  ['x'.repeat(129), false],
  ['', false],
  ['two words', false],
  ['<script>', false],
  ['a\u001b[31m', false],
  ['a"b', false],
  ['é', false],
];

for (const [sent, isEchoed] of requestIds) {
  const shown = JSON.stringify(sent.slice(0, 40));
  test(`the request ID ${shown} is ${isEchoed ? 'echoed' : 'replaced'}`, async (t) => {
    const answer = await server(t).inject({ url: '/things', headers: { 'x-request-id': sent } });
    equal(answer.headers['x-request-id'], isEchoed ? sent : 'made-1');
  });
}

test('text in any language arrives unchanged', async (t) => {
  const app = server(t);
  await app.listen({ host: '127.0.0.1', port: 0 });
  for (const [name, text] of Object.entries(texts)) {
    const answer = await fetch(`${app.listeningOrigin}/texts/${name}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    deepEqual(bytes, Buffer.from(JSON.stringify({ text }), 'utf8'), name);
    equal(answer.headers.get('content-length'), String(bytes.length));
  }
});

test('every GET endpoint supports HEAD, without a body', async (t) => {
  const app = server(t);
  const id = '01890000-0000-7000-8000-000000000000';
  for (const url of ['/things', `/things/${id}`, '/fails']) {
    const get = await app.inject(url);
    const head = await app.inject({ method: 'HEAD', url });
    equal(head.statusCode, get.statusCode, url);
    equal(head.headers['content-type'], get.headers['content-type'], url);
    equal(head.body, '', url);
  }
});

test('every other HTTP method gets a 405 with the allowed methods', async (t) => {
  const app = server(t);
  const known: Record<string, string> = {
    '/things': 'GET, POST, HEAD',
    '/things/x': 'GET, DELETE, HEAD',
    '/small': 'POST',
  };
  for (const [url, allow] of Object.entries(known)) {
    for (const method of METHODS) {
      if (method === 'CONNECT' || allow.split(', ').includes(method)) continue;
      const answer = await app.inject({ method: method as 'GET', url, payload: 'x' });
      equal(`${answer.statusCode} ${answer.headers.allow}`, `405 ${allow}`, `${method} ${url}`);
      if (method !== 'HEAD') equal(answer.json().error.code, 'method_not_allowed');
    }
  }
});

test("error details contain the field's dotted path", async (t) => {
  const rule = { id: 'a', limit: 1, window_ms: 1, algorithm: 'fixed', scope: 'key' };
  const body = JSON.stringify({ rate_limits: [rule], nmae: 1 });
  const { error } = (await server(t).inject(post('/things', body))).json();
  equal(error.message, 'The request body is not valid.');
  deepEqual(
    error.details.map(({ path }: { path: string }) => path),
    ['rate_limits.0.window_ms', 'nmae'],
  );
});

test('a malformed path and a malformed ID get the same error message', async (t) => {
  const app = server(t);
  for (const id of ['%zz', '%', '%ff', 'a'.repeat(17_000), 'no-id']) {
    const { error } = (await app.inject({ url: `/things/${id}` })).json();
    equal(error.message, 'The request path is not valid.', id.slice(0, 9));
    equal(error.details?.length, 1, id.slice(0, 9));
  }
});

test('a body of exactly the maximum size is accepted', async (t) => {
  const app = server(t);
  equal((await app.inject(post('/things', '{}'.padEnd(BODY_BYTES_MAX)))).statusCode, 200);
  equal((await app.inject(post('/small', '{"a": 123}'))).statusCode, 200);
});

test('every valid spelling of the JSON content type is accepted', async (t) => {
  const app = server(t);
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
  ]) {
    equal((await app.inject(post('/things', '{}', type))).statusCode, 200, type);
  }
  equal((await app.inject({ method: 'POST', url: '/things', payload: '{}' })).statusCode, 415);
});

test('the cause of a failure is logged but not sent to the caller', async (t) => {
  const out = new PassThrough();
  const app = server(t, { log: openLog('warn', out) });
  for (const [url, reason] of [
    ['/fails', 'select hash from passwords'],
    ['/throws-no-error', 'krsk_live_secret'],
    ['/off-schema', 'response does not match its schema'],
    ['/undeclared', 'undeclared response status 299'],
  ] as const) {
    const answer = await app.inject({ url, headers: { 'x-request-id': `id${url.slice(1)}` } });
    equal(answer.statusCode, 500, url);
    deepEqual(answer.json(), {
      error: { code: 'internal_error', message: 'Something went wrong on the server.' },
    });
    const logged = String(out.read());
    ok(logged.includes(reason), `${url}: ${logged}`);
    equal(JSON.parse(logged.split('\n')[0] ?? '').requestId, `id${url.slice(1)}`);
  }
});

test('the link to the next page repeats the query with a different cursor', async (t) => {
  const app = server(t);
  const link = async (url: string) => String((await app.inject(url)).headers.link);
  match(await link('/pages'), /^<\/pages\?cursor=[\w-]+>; rel="next"$/);
  match(
    await link('/pages?limit=5&of=a%20b'),
    /^<\/pages\?limit=5&of=a\+b&cursor=[\w-]+>; rel="next"$/,
  );
  const odd = await link('/pages?of=a?b&limit=1');
  const next = new URL(/^<([^>]+)>/.exec(odd)?.[1] ?? '', 'http://x').searchParams;
  equal(next.get('of'), 'a?b');
  equal(next.get('limit'), '1');
  notEqual(next.get('cursor'), null);
});
