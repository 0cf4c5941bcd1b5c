// Which address a request is attributed to. The tests use a secret key limited to a network, so the
// response shows whether the request's address is in that network.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const PROXIES = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'];
const forwarded = (value: string) => ({ 'x-forwarded-for': value });

type Case = [
  name: string,
  headers: Record<string, string>,
  remoteAddress: string,
  isAllowed: boolean,
];

const cases: Case[] = [
  ['the address that a proxy forwards', forwarded('203.0.113.7'), '127.0.0.1', true],
  ['the same as a mapped address', forwarded('::ffff:203.0.113.7'), '127.0.0.1', true],
  ['a proxy with a mapped address', forwarded('203.0.113.7'), '::ffff:127.0.0.1', true],
  ['a chain of proxies', forwarded('203.0.113.7, 2001:db8:1::7, 10.1.2.3'), '127.0.0.1', true],
  ['a proxy in another network', forwarded('203.0.113.7, 11.1.2.3'), '127.0.0.1', false],
  ['an address that the client added', forwarded('203.0.113.7, 198.51.100.1'), '127.0.0.1', false],
  ['text to the right of the address', forwarded('203.0.113.7, unknown'), '127.0.0.1', false],
  ['a proxy with a port', forwarded('203.0.113.7, 10.1.2.3:443'), '127.0.0.1', false],
  ['a peer that is not a proxy', forwarded('203.0.113.7'), '198.51.100.1', false],
  [
    'other headers',
    { 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' },
    '127.0.0.1',
    false,
  ],
  ['no header', {}, '127.0.0.1', false],
  ['a peer in the network', {}, '203.0.113.7', true],
];

test('x-forwarded-for is read from the right, up to the first address that is not trusted', async (t) => {
  const app = await harness(t);
  const networks = ['203.0.113.0/24'];
  const { key } = await app.as.liveKey('POST /v1/secret_keys', { env: 'live', networks });
  const ask = async (trustProxy: string[] | false, [, headers, remoteAddress]: Case) => {
    const { app: beside } = appBeside(t, app.testApp, { trustProxy });
    const all = { ...headers, authorization: `Bearer ${key}` };
    const url = '/v1/secret_keys/current';
    return (await beside.http.inject({ url, headers: all, remoteAddress })).statusCode;
  };
  for (const one of cases) {
    const [name, , remoteAddress, isAllowed] = one;
    equal(await ask(PROXIES, one), isAllowed ? 200 : 403, name);
    const isOwn = remoteAddress === '203.0.113.7';
    equal(await ask(false, one), isOwn ? 200 : 403, `${name}, without trusted proxies`);
  }
});
