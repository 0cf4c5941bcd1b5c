// The networks that a client address belongs to. An IPv6 client has an entire /64 network and could
// use a new address for every request; a home or office has a /56, and a larger site has a /48. An
// IPv4-mapped IPv6 address is treated as IPv4.
import ipaddr from 'ipaddr.js';

type ClientNetworks = {
  /** What counts as one client: an IPv4 address, or an IPv6 /64 network. */
  client: string;
  /** The /56 and /48 networks that contain an IPv6 client. */
  wider: { bits56: string; bits48: string } | null;
  /** Clients in this network share one lane of the password queue: an IPv4 /24 or an IPv6 /48. */
  neighbours: string;
};

const GROUP_BITS = 16;
const CLIENT_GROUPS = 4;
const SITE_GROUPS = 3;
const OCTETS = 3;
const HOME_MASK = 0xff00;

export function networksOf(address: string): ClientNetworks {
  if (!ipaddr.isValid(address)) return { client: address, wider: null, neighbours: address };
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) {
    const neighbours = parsed.octets.slice(0, OCTETS).join('.');
    return { client: parsed.toString(), wider: null, neighbours };
  }
  const groups = parsed.parts.slice(0, CLIENT_GROUPS);
  const site = groups.slice(0, SITE_GROUPS).join(':');
  const home = `${site}:${(groups[SITE_GROUPS] ?? 0) & HOME_MASK}/${SITE_GROUPS * GROUP_BITS + 8}`;
  return { client: groups.join(':'), wider: { bits56: home, bits48: site }, neighbours: site };
}

const LOGGED_BITS = { ipv4: 24, ipv6: 48 } as const;

/**
 * A client's network in a form that is safe to log, such as `203.0.113.0/24` or `2001:db8:1::/48`:
 * enough to recognise an attack, but not enough to identify a person. Null if the address is not
 * valid.
 */
export function loggedNetworkOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  const bits = LOGGED_BITS[parsed.kind()];
  const bytes = parsed.toByteArray().map((byte, at) => (at < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
