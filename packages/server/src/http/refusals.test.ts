// Errors for unexpected input, their log lines, and when a request's deadline starts.
import { deepEqual, equal } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { Endpoint, Line } from '@keyrail/protocol/endpoint.ts';
import { bareServer } from '@keyrail/testing/bare-server.ts';
import { z } from 'zod';
import { conflict } from '../base/errors.ts';
import { openLog } from '../base/log.ts';
import type { Opening } from '../db/database.ts';
import { createPipeline, type Incoming, type PipelineParts } from './pipeline.ts';
import type { ServedRoute } from './route.ts';

const endpoint = {
  auth: 'none',
  summary: '',
  description: '',
  answers: { 200: z.looseObject({}) },
} as const;

const route = (line: Line): ServedRoute => ({
  line,
  endpoint,
  boundary: 'none',
  door: 'gate',
  run: async ({ people }) => {
    await (people as (work: () => void) => Promise<void>)(() => {});
    return {};
  },
});

const server = (t: TestContext) =>
  bareServer(t, [route('GET /things/{id}'), route('DELETE /things/{id}')]);

const ID = '0190a6e2-5b8c-7000-8000-000000000000';

const body = (payload: string) => ({
  method: 'DELETE' as const,
  url: `/things/${ID}`,
  payload,
  headers: { 'content-type': 'application/json' },
});

for (const [what, request, part, paths] of [
  ['an unexpected field', body('{"rmoved":1,"at":2}'), 'body', ['rmoved', 'at']],
  ['a body that is not an object', body('[]'), 'body', ['']],
  ['an unexpected filter', { url: `/things/${ID}?of=1` }, 'query', ['of']],
  ['a malformed ID', { url: '/things/1' }, 'path', ['id']],
  ['a badly encoded path', { url: '/things/%ff' }, 'path', ['']],
  ['an overlong path', { url: `/things/${'a'.repeat(17_000)}` }, 'path', ['']],
] as const) {
  test(`the error for ${what} states which part of the request is invalid, and the path`, async (t) => {
    const answer = await server(t).inject(request);
    const { error } = answer.json();
    equal(answer.statusCode, 400);
    equal(error.message, `The request ${part} is not valid.`);
    deepEqual(
      error.details.map(({ path }: { path: string }) => path),
      paths,
    );
  });
}

test('an error about many fields results in a small response', async (t) => {
  const many = Array.from({ length: 500 }, (_, n) => `${'x'.repeat(50)}${n}=1`).join('&');
  const answer = await server(t).inject({ url: `/things/${ID}?${many}` });
  equal(answer.json().error.details.length, 100);
});

/**
 * A route that doesn't use the database. If the query is not empty, it responds with a 409, as if a
 * slug were taken.
 */
const plain = (line: Line, more: { declared?: Endpoint['refusals']; hot?: true } = {}) => ({
  line,
  endpoint: { ...endpoint, query: z.looseObject({}), refusals: more.declared ?? {} },
  boundary: 'none' as const,
  door: 'none' as const,
  ...(more.hot && { hot: more.hot }),
  run: ({ query }: Record<string, unknown>) => {
    if (Object.keys(query as object).length > 0) throw conflict('This slug is taken.', 'slug');
    return {};
  },
});

test('a conflict that the endpoint does not declare is a server error', async (t) => {
  const declared = { 409: 'The slug is taken.' };
  const app = bareServer(t, [plain('GET /may', { declared }), plain('GET /may-not')]);
  equal((await app.inject('/may?taken')).statusCode, 409);
  equal((await app.inject('/may-not?taken')).statusCode, 500);
});

test('successful responses from hot routes are logged at debug, all others at info', async (t) => {
  const declared = { 409: 'The slug is taken.' };
  const routes = [plain('GET /usual', { declared }), plain('GET /hot', { declared, hot: true })];
  const linesAt = async (level: 'info' | 'debug'): Promise<string[]> => {
    const out = new PassThrough();
    const app = bareServer(t, routes, { log: openLog(level, out) });
    for (const url of ['/usual', '/usual?taken', '/hot', '/hot?taken']) await app.inject(url);
    const logged = String(out.read()).trim().split('\n');
    return logged.map((text) => {
      const { level: of, line, status, msg } = JSON.parse(text);
      return `${of} ${line} ${status} ${msg}`;
    });
  };
  const usual = ['info GET /usual 200 responded', 'info GET /usual 409 responded'];
  const refused = 'info GET /hot 409 responded';
  deepEqual(await linesAt('info'), [...usual, refused]);
  deepEqual(await linesAt('debug'), [...usual, 'debug GET /hot 200 responded', refused]);
});

test('time spent receiving a body does not count towards the deadline', async (t) => {
  let nowMs = 1000;
  t.mock.method(performance, 'now', () => nowMs);
  const waits: number[] = [];
  const db = {
    expect: () => () => {},
    transaction: async ({ deadline }: Opening) => void waits.push(deadline.remainingMs()),
  };
  const chargeClient = async () => {};
  const parts = {
    db,
    chargeEmbedChange: () => {},
    notePermission: () => {},
    chargeClient,
  } as unknown as PipelineParts;
  const pipeline = createPipeline(route('POST /things'), parts);
  const admitted = await pipeline.admit({
    authorization: undefined,
    origin: undefined,
    workspace: undefined,
    clientAddress: '192.0.2.1',
    pathId: undefined,
  });
  nowMs += 20_000;
  const header = () => undefined;
  const incoming = { params: {}, query: {}, header } as unknown as Incoming;
  await pipeline.answer(admitted, incoming);
  await pipeline.answer({ ...admitted, tookMs: 1200, atMs: nowMs }, incoming);
  deepEqual(waits, [3000, 1800]);
});
