// Only addresses on the public internet are accepted, regardless of how they are written.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../base/errors.ts';
import { isGlobalAddress } from './global-address.ts';
import { checkTarget, type TargetRules } from './target-url.ts';

const GLOBAL = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '2606:4700:4700::1111',
  '2a00:1450:4001::65',
];

const refusedAddresses = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:10.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

test('only addresses on the public internet count as global', () => {
  for (const address of GLOBAL) equal(isGlobalAddress(address), true, address);
  for (const address of refusedAddresses) equal(isGlobalAddress(address), false, address);
  for (const text of ['', 'localhost', '1.1.1', '8.8.8.8:53', 'fe80::1%eth0']) {
    equal(isGlobalAddress(text), false, text);
  }
});

const place = { release: () => {} };

const resolves = (...addresses: string[]): TargetRules => ({
  hostNames: { takePlace: () => place, addressesOf: async () => addresses },
  allowPrivate: false,
});

const registering = { workspaceId: 'one', signal: new AbortController().signal };

const reasonFor = (url: string, rules: TargetRules = resolves('8.8.8.8')): Promise<string | null> =>
  checkTarget(url, rules, registering).then(
    () => null,
    (error: unknown) =>
      error instanceof ApiError ? (error.details?.[0]?.message ?? 'no detail') : String(error),
  );

const UNLESS = 'For tests and closed networks, start the server with KEYRAIL_WEBHOOK_PRIVATE=on.';
const NOT_PUBLIC = `The host must resolve to public addresses only. ${UNLESS}`;

test('a URL with a private host is rejected, regardless of how the host is written', async () => {
  const literals = refusedAddresses.map((address) =>
    address.includes(':') ? `https://[${address}]/` : `https://${address}/`,
  );
  const spellings = [
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://intranet/',
    'https://db.corp/',
  ];
  for (const url of [...literals, ...spellings]) equal(await reasonFor(url), NOT_PUBLIC, url);
});

test('a host name is rejected if any of its addresses is private', async () => {
  const url = 'https://hooks.example.com/in';
  equal(await reasonFor(url, resolves('8.8.8.8')), null);
  equal(await reasonFor(url, resolves('8.8.8.8', '2606:4700:4700::1111')), null);
  equal(await reasonFor(url, resolves('10.0.0.1')), NOT_PUBLIC);
  equal(await reasonFor(url, resolves('8.8.8.8', '127.0.0.1')), NOT_PUBLIC);
  equal(await reasonFor(url, resolves('8.8.8.8', '::ffff:10.0.0.1')), NOT_PUBLIC);
});

test('a host name without an address gets the same message as one with a private address', async () => {
  equal(await reasonFor('https://hooks.example.com/in', resolves()), NOT_PUBLIC);
});

test('a URL’s scheme, credentials, fragment and port are validated', async () => {
  for (const [url, reason] of [
    ['http://hooks.example.com/', `Must start with https://. ${UNLESS}`],
    ['http://localhost:3000/hook', `Must start with https://. ${UNLESS}`],
    ['ftp://hooks.example.com/', 'Must start with https://.'],
    ['javascript:alert(1)', 'Must start with https://.'],
    ['//hooks.example.com/', 'Must be a URL.'],
    ['hooks.example.com', 'Must be a URL.'],
    ['https://', 'Must be a URL.'],
    ['https://user@hooks.example.com/', 'Must not contain credentials.'],
    ['https://user:pass@hooks.example.com/', 'Must not contain credentials.'],
    ['https://8.8.8.8@127.0.0.1/', 'Must not contain credentials.'],
    ['https://hooks.example.com/#part', 'Must not contain a fragment.'],
    ['https://hooks.example.com:22/', 'The port must be 443, or 1024 or higher.'],
    ['https://hooks.example.com:25/', 'The port must be 443, or 1024 or higher.'],
    ['https://hooks.example.com:8443/in?a=b', null],
  ] as const) {
    equal(await reasonFor(url), reason, url);
  }
});

test('KEYRAIL_WEBHOOK_PRIVATE allows private hosts and plain HTTP, but no other scheme', async () => {
  const rules = { ...resolves('127.0.0.1'), allowPrivate: true };
  equal(await reasonFor('http://127.0.0.1:3000/hook', rules), null);
  equal(await reasonFor('https://localhost:22/', rules), null);
  equal(await reasonFor('file:///etc/passwd', rules), 'Must start with https://.');
});
