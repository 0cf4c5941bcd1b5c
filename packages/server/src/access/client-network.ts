// The network of a client, as the log may name it: enough to recognise an attack, too little to
// recognise a person.
import ipaddr from 'ipaddr.js';

const BITS = { ipv4: 24, ipv6: 48 } as const;

/** `203.0.113.0/24` or `2001:db8:1::/48`; null if the address is none. */
export function loggedNetworkOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  const bits = BITS[parsed.kind()];
  const bytes = parsed.toByteArray().map((byte, at) => (at < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
