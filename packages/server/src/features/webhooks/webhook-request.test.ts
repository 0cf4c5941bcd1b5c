// One request: where it may connect to, and what becomes of each kind of response.
import { deepEqual, equal } from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { createRequestSender } from './webhook-request.ts';

const message = { headers: { 'webhook-id': 'x' }, body: '{}' };
const NOT_PUBLIC = 'The host has an address that is not public.';
const nowMs = () => performance.now();

/** Counts connections on the loopback, and accepts none of them for long. */
async function openTrap(t: TestContext): Promise<{ port: number; connections(): number }> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}

const resolving = (...addresses: string[]) => {
  const asked: string[] = [];
  const lookup = (
    hostname: string,
    _options: unknown,
    done: (error: null, found: LookupAddress[]) => void,
  ) => {
    asked.push(hostname);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked, lookup };
};

test('a name that has come to point into the network is not connected to', async (t) => {
  const trap = await openTrap(t);
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
    ['169.254.169.254'],
    [],
  ]) {
    const { asked, lookup } = resolving(...addresses);
    const send = createRequestSender({ allowPrivate: false, nowMs, lookup });
    const { status, error } = await send({
      url: `https://hooks.example.com:${trap.port}/`,
      ...message,
    });
    deepEqual([status, error], [null, NOT_PUBLIC], addresses.join());
    deepEqual(asked, ['hooks.example.com'], 'the connection itself asked');
  }
  equal(trap.connections(), 0);
});

test('an address of the network is not connected to, nor is plain HTTP used', async (t) => {
  const trap = await openTrap(t);
  const { lookup } = resolving('127.0.0.1');
  const send = createRequestSender({ allowPrivate: false, nowMs, lookup });
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
    const { error } = await send({ url: `https://${host}:${trap.port}/`, ...message });
    equal(error, NOT_PUBLIC, host);
  }
  const { error } = await send({ url: `http://hooks.example.com:${trap.port}/`, ...message });
  equal(error, NOT_PUBLIC);
  equal(trap.connections(), 0);
});

test('only a status of 2xx is a success', async (t) => {
  const receiver = await openReceiver(t);
  const send = createRequestSender({ allowPrivate: true, nowMs });
  for (const status of [200, 201, 204, 299]) {
    receiver.behave(() => status);
    const attempt = await send({ url: receiver.url, ...message });
    deepEqual([attempt.status, attempt.error], [status, null]);
  }
  for (const status of [300, 302, 400, 410, 500]) {
    receiver.behave(() => status);
    const attempt = await send({ url: receiver.url, ...message });
    deepEqual([attempt.status, attempt.error], [status, `The response had status ${status}.`]);
  }
});

test('a receiver without a response is given up, and a stop ends the attempt', async (t) => {
  const receiver = await openReceiver(t, () => null);
  const send = createRequestSender({ allowPrivate: true, nowMs, answerMsMax: 200 });
  const late = await send({ url: receiver.url, ...message });
  deepEqual([late.status, late.error], [null, 'No response in time.']);
  const patient = createRequestSender({ allowPrivate: true, nowMs });
  const stopping = new AbortController();
  const attempt = patient({ url: receiver.url, ...message }, stopping.signal);
  stopping.abort();
  equal((await attempt).error, 'The attempt was interrupted.');
});

test('the error of a failed connection contains no address', async (t) => {
  const trap = await openTrap(t);
  const send = createRequestSender({ allowPrivate: true, nowMs });
  const cut = await send({ url: `http://127.0.0.1:${trap.port}/`, ...message });
  equal(cut.error, 'The connection was closed without a response.');
  const closed = await send({ url: 'http://127.0.0.1:1/', ...message });
  equal(closed.error, 'The connection was refused.');
  const plain = await send({ url: `https://127.0.0.1:${trap.port}/`, ...message });
  equal(plain.status, null);
});
