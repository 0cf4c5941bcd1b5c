// A single request: where it may connect to, and how each kind of response is treated.
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openNameServer } from '@keyrail/testing/dns-server.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { createHostNames } from './host-names.ts';
import { createRequestSender } from './webhook-request.ts';

const message = { headers: { 'webhook-id': 'x' }, body: '{}', workspaceId: 'one' };
const NOT_PUBLIC = 'The host must resolve to public addresses only.';
const nowMs = () => performance.now();

/** Counts connections to the loopback address, and closes each one immediately. */
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

const strict = (servers: string[]) => {
  const hostNames = createHostNames({ allowPrivate: false, servers });
  return createRequestSender({ allowPrivate: false, nowMs, hostNames });
};
const open = { allowPrivate: true, nowMs, hostNames: createHostNames({ allowPrivate: true }) };

const MANY = Array.from({ length: 49 }, (_, n) => `93.184.216.${n}`);

test('no connection is made to a host name that now resolves to a private address', async (t) => {
  const trap = await openTrap(t);
  const names = await openNameServer(t, {});
  const send = strict([names.server]);
  for (const zone of [
    { 'hooks.example.com': ['127.0.0.1'] },
    { 'hooks.example.com': ['0:0:0:0:0:0:0:1'] },
    { 'hooks.example.com': ['0:0:0:0:0:ffff:7f00:1'] },
    { 'hooks.example.com': ['93.184.216.34', '127.0.0.1'] },
    { 'hooks.example.com': ['93.184.216.34', '0:0:0:0:0:0:0:1'] },
    { 'hooks.example.com': [...MANY, '10.0.0.1'] },
    { 'hooks.example.com': ['169.254.169.254'] },
    { 'hooks.example.com': { alias: 'db.internal' }, 'db.internal': ['127.0.0.1'] },
    { 'hooks.example.com': { alias: 'none.internal' } },
    { 'hooks.example.com': 'servfail' as const },
    { 'hooks.example.com': [] },
    {},
  ]) {
    names.change(zone);
    const url = `https://hooks.example.com:${trap.port}/`;
    const { status, error } = await send({ url, ...message });
    deepEqual([status, error], [null, NOT_PUBLIC], JSON.stringify(zone));
    deepEqual(names.asked.splice(0).toSorted(), ['hooks.example.com A', 'hooks.example.com AAAA']);
  }
  equal(trap.connections(), 0);
});

test('a host name may have a private address if private addresses are allowed', async (t) => {
  const receiver = await openReceiver(t);
  const names = await openNameServer(t, { 'hooks.example.com': ['127.0.0.1'] });
  const hostNames = createHostNames({ allowPrivate: true, servers: [names.server] });
  const send = createRequestSender({ ...open, hostNames });
  const { port } = new URL(receiver.url);
  equal((await send({ url: `http://hooks.example.com:${port}/`, ...message })).status, 204);
  equal((await send({ url: `http://localhost:${port}/`, ...message })).status, 204);
  const unknown = await send({ url: `http://other.example.com:${port}/`, ...message });
  equal(unknown.error, 'The host name could not be resolved.');
});

test('the hosts file is only used if private addresses are allowed', async (t) => {
  const names = await openNameServer(t, {});
  const asked = { place: { release: () => {} }, signal: new AbortController().signal };
  const found = (allowPrivate: boolean) =>
    createHostNames({ allowPrivate, servers: [names.server] }).addressesOf('localhost', asked);
  ok((await found(true)).includes('127.0.0.1'));
  deepEqual(await found(false), []);
});

test('no connection is made to a private address or over plain HTTP', async (t) => {
  const trap = await openTrap(t);
  const names = await openNameServer(t, { 'hooks.example.com': ['127.0.0.1'] });
  const send = strict([names.server]);
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
    const { error } = await send({ url: `https://${host}:${trap.port}/`, ...message });
    equal(error, NOT_PUBLIC, host);
  }
  const { error } = await send({ url: `http://hooks.example.com:${trap.port}/`, ...message });
  equal(error, NOT_PUBLIC);
  equal(trap.connections(), 0);
});

test('only a 2xx status counts as a success', async (t) => {
  const receiver = await openReceiver(t);
  const send = createRequestSender(open);
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

test('an attempt stops when the receiver does not respond in time, or when the worker stops', async (t) => {
  const receiver = await openReceiver(t, () => null);
  const send = createRequestSender({ ...open, answerMsMax: 200 });
  const late = await send({ url: receiver.url, ...message });
  deepEqual([late.status, late.error], [null, 'The endpoint did not respond in time.']);
  const patient = createRequestSender(open);
  const stopping = new AbortController();
  const attempt = patient({ url: receiver.url, ...message }, stopping.signal);
  stopping.abort();
  equal((await attempt).error, 'The attempt was interrupted.');
});

test('a failed connection’s error message does not contain an address', async (t) => {
  const trap = await openTrap(t);
  const send = createRequestSender(open);
  const cut = await send({ url: `http://127.0.0.1:${trap.port}/`, ...message });
  equal(cut.error, 'The connection was closed without a response.');
  const closed = await send({ url: 'http://127.0.0.1:1/', ...message });
  equal(closed.error, 'The connection was refused.');
  const plain = await send({ url: `https://127.0.0.1:${trap.port}/`, ...message });
  equal(plain.status, null);
});
