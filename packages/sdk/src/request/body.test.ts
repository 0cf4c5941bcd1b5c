// The bodies of idempotent requests: each is read completely and put back for the handler, or
// rejected.
import { deepEqual, equal, notDeepEqual, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { protect as protectNode } from '../adapters/node.ts';
import { takeBody } from '../adapters/node-call.ts';
import { protect as protectWeb } from '../adapters/web.ts';
import { createTestKeyrail } from '../testing.ts';
import { BodyTooLarge, IDEMPOTENT_BODY_BYTES_MAX, parsedBytes, webBytes } from './body.ts';

type Taker = (request: IncomingMessage) => Promise<unknown>;

async function serve(t: TestContext, taker: Taker): Promise<number> {
  const server = createServer((request, response) => {
    void taker(request).then(
      (said) => response.end(JSON.stringify(said)),
      (error: Error) => response.writeHead(500).end(error.constructor.name),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function sendPieces(port: number, pieces: Uint8Array[]): Promise<string> {
  const request = send({ port, host: '127.0.0.1', method: 'POST' });
  const answered = once(request, 'response');
  for (const piece of pieces) {
    request.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  request.end();
  const [response] = await answered;
  return String(await buffer(response));
}

const sizes = (bytes: Uint8Array) => ({
  length: bytes.length,
  sum: bytes.reduce((a, b) => a + b, 0),
});

test('a body in any number of chunks is read completely and put back for the handler', async (t) => {
  const port = await serve(t, async (request) => {
    const taken = await takeBody(request);
    const found = await buffer(request);
    return [sizes(taken), sizes(found)];
  });
  const piece = fc.integer({ min: 0, max: 70_000 }).map((size) => Buffer.alloc(size, size % 251));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const whole = sizes(Buffer.concat(pieces));
      deepEqual(JSON.parse(await sendPieces(port, pieces)), [whole, whole]);
    }),
    { numRuns: 60 },
  );
});

test('after setEncoding, a body is put back as text', async (t) => {
  const port = await serve(t, async (request) => {
    request.setEncoding('utf8');
    const taken = await takeBody(request);
    return [String(taken), await text(request)];
  });
  const sent = 'grün und blau';
  const bytes = Buffer.from(sent);
  // Splits the text in the middle of a character.
  const pieces = [bytes.subarray(0, 3), bytes.subarray(3)];
  deepEqual(JSON.parse(await sendPieces(port, pieces)), [sent, sent]);
});

test('an endless body is rejected at the limit, and the next request is served', async (t) => {
  const port = await serve(t, takeBody);
  const piece = Buffer.alloc(1024 * 1024);
  const pieces = Array.from({ length: IDEMPOTENT_BODY_BYTES_MAX / piece.length + 1 }, () => piece);
  equal(await sendPieces(port, pieces), 'BodyTooLarge');
  equal(JSON.parse(await sendPieces(port, [Buffer.from('x')])).data.length, 1);
});

test('waiting for a body stops when the caller disconnects', async (t) => {
  const reached = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  const port = await serve(t, (request) => {
    reached.resolve();
    return takeBody(request).catch(failed.resolve);
  });
  const request = send({ port, host: '127.0.0.1', method: 'POST' }).on('error', () => {});
  request.write('half');
  await reached.promise;
  request.destroy();
  equal((await failed.promise) instanceof Error, true);
});

test("a Web request's body stays readable and has the same size limit", async () => {
  const asked = () => ({ method: 'POST', body: 'some text' });
  const request = new Request('http://x.test', asked());
  equal(String(await webBytes(request)), 'some text');
  equal(await request.text(), 'some text');
  equal((await webBytes(new Request('http://x.test'))).length, 0);
  const large = new Uint8Array(IDEMPOTENT_BODY_BYTES_MAX + 1);
  await rejects(
    webBytes(new Request('http://x.test', { method: 'POST', body: large })),
    BodyTooLarge,
  );
});

test('the fingerprint of a parsed body does not depend on the order of its fields', () => {
  deepEqual(
    parsedBytes({ a: 1, b: { d: [1, 2], c: null } }),
    parsedBytes({ b: { c: null, d: [1, 2] }, a: 1 }),
  );
  notDeepEqual(parsedBytes({ a: [1, 2] }), parsedBytes({ a: [2, 1] }));
  notDeepEqual(parsedBytes({ a: 1 }), parsedBytes({ a: '1' }));
  for (const odd of [undefined, null, 3, () => {}, Buffer.from('x'), 'x']) parsedBytes(odd);
});

test('adapters reject an oversized body before the handler runs', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  t.after(() => keyrail.close());
  const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
  const body = new Uint8Array(IDEMPOTENT_BODY_BYTES_MAX + 1);
  const never = () => {
    throw new Error('must not be called');
  };
  const web = protectWeb(keyrail, { idempotency: true }, never);
  equal((await web(new Request('http://x.test', { method: 'POST', headers, body }))).status, 413);
  const node = protectNode(keyrail, { idempotency: true }, never);
  const server = createServer((request, response) => void node(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  equal((await fetch(url, { method: 'POST', headers, body })).status, 413);
  server.closeAllConnections();
});
