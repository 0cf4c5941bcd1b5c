// Decides which addresses webhooks may be sent to: only those on the public internet. The server is
// often on a private network, which webhooks must not be able to reach.
import { BlockList, isIP } from 'node:net';

/**
 * The special-purpose IPv4 ranges registered with IANA, except those that are globally reachable.
 */
const SPECIAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only IPv6 range assigned to the public internet. */
const GLOBAL_6 = '2000::/3';

/** Parts of GLOBAL_6 that are reserved for other purposes. Some of them contain an IPv4 address. */
const SPECIAL_6 = [
  '2001::/23', // IETF protocol assignments, including Teredo (2001::/32)
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

const special4 = blocks(SPECIAL_4, 'ipv4');
const special6 = blocks(SPECIAL_6, 'ipv6');
const global6 = blocks([GLOBAL_6], 'ipv6');

function blocks(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * False if the string isn't an address. An IPv4 address written as IPv6 doesn't count as global.
 */
export function isGlobalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
    default:
      return false;
  }
}
