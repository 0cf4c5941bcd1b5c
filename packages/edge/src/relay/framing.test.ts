// Over raw sockets, sends requests with a body their method doesn't allow, and records the traffic
// to the control plane. No byte sent by one caller may become part of another caller's request.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { until } from '@keyrail/testing/until.ts';
import {
  exchanged,
  framesIn,
  openByteTap,
  rawConnection,
  statusesIn,
} from '../../test/raw-http.ts';
import { readAllHeaders } from '../too-many-headers.ts';
import { openRelay } from './relay.ts';

const FEED = '/v1/policy/snapshot?project_id=p';
const bearing = () => `Bearer ${mintCredential('secret_key', 'live', randomBytes).secret}`;
const ONE = bearing();
const TWO = bearing();
const POLL = `GET ${FEED}`;
const LIMITS = '/v1/ratelimit/check';
/**
 * A complete request, sent as a body. If a connection gets out of sync, the control plane mistakes
 * this body for the next request.
 */
const SMUGGLED = 'DELETE /v1/tenants/t HTTP/1.1\r\nHost: x\r\n\r\n';
const CUT_OFF = 'DELETE /v1/tenants/t HTTP/1.1\r\nHost: x\r\nX-Ignore: ';

async function portOf(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  readAllHeaders(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function scene(t: TestContext) {
  const plane = await portOf(t, (incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(304).end());
  });
  const tap = await openByteTap(t, plane);
  const url = `http://127.0.0.1:${tap.port}`;
  const relay = openRelay({ url, projectId: 'p' });
  t.after(() => relay.close());
  const port = await portOf(t, relay.listener);
  return { port, tap };
}

const headOf = (line: string, more: string, credential = ONE) =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${credential}\r\n${more}\r\n`;

const framings = {
  'no body': { header: () => '', sent: () => '' },
  'a length': {
    header: (body: string) => `Content-Length: ${body.length}\r\n`,
    sent: (body: string) => body,
  },
  chunks: {
    header: () => 'Transfer-Encoding: chunked\r\n',
    sent: (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  },
} satisfies Record<string, Record<'header' | 'sent', (body: string) => string>>;

for (const method of ['GET', 'POST', 'HEAD', 'DELETE']) {
  for (const [name, { header, sent }] of Object.entries(framings)) {
    test(`${method} with ${name} leaves every upstream connection in sync`, async (t) => {
      const { port, tap } = await scene(t);
      const isPost = method === 'POST';
      const isFramed = !isPost && name !== 'no body';
      const expected = isFramed ? 400 : method === 'GET' || isPost ? 304 : 404;
      const answers: string[] = [];
      for (const body of [SMUGGLED, CUT_OFF]) {
        const more = `${header(body)}If-None-Match: "x"\r\n`;
        const head = headOf(`${method} ${isPost ? LIMITS : FEED}`, more);
        answers.push(await exchanged(t, port, head + sent(body)));
        // A different node polls.
        const poll = headOf(POLL, 'If-None-Match: "x"\r\n', TWO);
        deepEqual(statusesIn(await exchanged(t, port, poll)), [304]);
      }
      for (const { line, headers } of tap.connections().flatMap(framesIn)) {
        if (line === `POST ${LIMITS} HTTP/1.1`) continue;
        equal(line, `${POLL} HTTP/1.1`);
        equal(headers.get('transfer-encoding') ?? headers.get('content-length'), undefined);
      }
      deepEqual(answers.map(statusesIn), [[expected], [expected]]);
      for (const answer of answers) equal(/^connection: close\r$/im.test(answer), isFramed, answer);
    });
  }
}

test('a body cannot be smuggled in by declaring it after more headers than Node.js 20 reads', async (t) => {
  const { port, tap } = await scene(t);
  const filler = 'a:\r\n'.repeat(1_000);
  const head = headOf(POLL, `${filler}If-None-Match: "x"\r\nTransfer-Encoding: chunked\r\n`);
  const answer = await exchanged(t, port, `${head}${framings.chunks.sent(SMUGGLED)}`);
  deepEqual(statusesIn(answer), [400]);
  ok(answer.includes('too many headers'), answer);
  deepEqual(tap.connections(), []);
});

test('a request with a content length of 0 is treated as having no body', async (t) => {
  const { port } = await scene(t);
  const head = headOf(POLL, 'Content-Length: 0\r\nIf-None-Match: "x"\r\n');
  deepEqual(statusesIn(await exchanged(t, port, head)), [304]);
});

test('a connection is closed if a request declares a body that its method does not allow', async (t) => {
  const { port, tap } = await scene(t);
  const raw = rawConnection(t, port);
  raw.send(headOf(POLL, 'Transfer-Encoding: chunked\r\n'));
  await until(raw.isClosed);
  deepEqual(statusesIn(raw.received()), [400]);
  deepEqual(tap.connections(), []);
});

test('requests with different secret keys never share a connection to the control plane', async (t) => {
  const { port, tap } = await scene(t);
  for (const credential of [ONE, TWO, ONE, TWO]) {
    const passed = headOf(`POST ${LIMITS}`, 'Content-Length: 2\r\n', credential);
    deepEqual(statusesIn(await exchanged(t, port, `${passed}{}`)), [304]);
  }
  const credentials = tap.connections().map((bytes) => {
    const passed = framesIn(bytes).filter(({ line }) => line.startsWith('POST'));
    return passed.map(({ headers }) => headers.get('authorization'));
  });
  deepEqual(
    credentials.filter(({ length }) => length > 0),
    [
      [ONE, ONE],
      [TWO, TWO],
    ],
  );
});

test('after a burst of requests with one secret key, few connections stay open', async (t) => {
  const { port, tap } = await scene(t);
  const burst = Array.from({ length: 60 }, () => {
    const passed = headOf(`POST ${LIMITS}`, 'Content-Length: 2\r\n');
    return exchanged(t, port, `${passed}{}`);
  });
  for (const answer of await Promise.all(burst)) deepEqual(statusesIn(answer), [304]);
  await until(() => tap.open() <= 16);
});
