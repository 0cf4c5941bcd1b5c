// CIDR blocks: which strings are accepted, and how a rejected one should have been written.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressBlockFlaw,
  containsNetwork,
  createAddressCheck,
  networkIn,
} from './address-block.ts';

const accepted: [string, string][] = [
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['10.1.2.3/32', '10.1.2.3/32'],
  ['::/0', '::/0'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::1/128', '2001:db8::1/128'],
  ['64:ff9b::192.0.2.0/124', '64:ff9b::c000:200/124'],
];

for (const [text, network] of accepted) {
  test(`${text} is the network ${network}`, () => deepEqual(networkIn(text), { network }));
}

const NOT_A_BLOCK = 'must be a CIDR block, such as 203.0.113.0/24';

const rejected: [string, string][] = [
  ['10.0.0.1/8', 'has bits after the length; did you mean 10.0.0.0/8?'],
  ['2001:db8::1/32', 'has bits after the length; did you mean 2001:db8::/32?'],
  ['10.0.0.1', 'must have a length: 10.0.0.1/32'],
  ['2001:DB8::1', 'must have a length: 2001:db8::1/128'],
  ['::ffff:10.0.0.0/104', 'must be written as IPv4: 10.0.0.0/8'],
  ['010.0.0.0/8', NOT_A_BLOCK],
  ['10.0.0.0/08', NOT_A_BLOCK],
  ['10.0.0.0/33', NOT_A_BLOCK],
  ['10.0.0.0/', NOT_A_BLOCK],
  ['10.0.0.0/8/8', NOT_A_BLOCK],
  ['10.0.0/8', NOT_A_BLOCK],
  ['fe80::1%eth0/64', NOT_A_BLOCK],
  ['2001:db8::/129', NOT_A_BLOCK],
  [' 10.0.0.0/8', NOT_A_BLOCK],
  ['10.0.0.0/8\n', NOT_A_BLOCK],
  ['', NOT_A_BLOCK],
  ['any', NOT_A_BLOCK],
];

for (const [text, flaw] of rejected) {
  test(`${JSON.stringify(text)} is rejected: ${flaw}`, () => {
    deepEqual(networkIn(text), { network: null, flaw });
  });
}

test('a canonical network is parsed unchanged, and contains the address it was derived from', () => {
  const lengths = { 4: 32, 6: 128 };
  fc.assert(
    fc.property(
      fc.oneof(
        fc.record({ address: fc.ipV4(), version: fc.constant(4 as const) }),
        fc.record({ address: fc.ipV6(), version: fc.constant(6 as const) }),
      ),
      fc.nat({ max: 128 }),
      ({ address, version }, length) => {
        const bits = Math.min(length, lengths[version]);
        const { network, flaw } = networkIn(`${address}/${bits}`);
        const meant = network ?? / (\S+\/\d+)\??$/.exec(flaw)?.[1] ?? '';
        deepEqual(networkIn(meant), { network: meant });
        equal(createAddressCheck([meant])(address), true);
      },
    ),
  );
});

test('settings accept a single IP address as well as a network', () => {
  for (const text of ['10.0.0.1', '::1', '10.0.0.0/8']) equal(addressBlockFlaw(text), null, text);
  for (const [text, flaw] of rejected.filter(([, why]) => !why.startsWith('must have a length'))) {
    equal(addressBlockFlaw(text), flaw);
  }
});

test('an IPv4-mapped address can match an IPv4 network, and text that is not an address matches no network', () => {
  const check = createAddressCheck(['10.0.0.0/8']);
  equal(check('::ffff:10.1.2.3'), true);
  equal(check('11.0.0.1'), false);
  equal(check(''), false);
  equal(createAddressCheck(['0.0.0.0/0', '::/0'])('unix:'), false);
});

test('an IPv4 address never matches an IPv6 network, no matter how it is written', () => {
  for (const network of ['::/0', '::/64', '::/95']) {
    const check = createAddressCheck([network]);
    equal(check('::1'), true);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203']) {
      equal(check(address), false, `${address} in ${network}`);
    }
  }
  equal(createAddressCheck(['::ffff:10.0.0.0/104'])('10.1.2.3'), true);
  equal(containsNetwork('::/0', '10.0.0.0/8'), false);
});
