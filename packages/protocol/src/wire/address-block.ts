// Parses IP addresses and ranges, such as the trusted proxies in the settings. This is the only
// code that does so.
import { BlockList, isIP } from 'node:net';

const BITS_MAX: Readonly<Record<number, number>> = { 4: 32, 6: 128 };
const GROUPS_V6 = 8;
const GROUP_BITS = 16n;
const OCTET_BITS = 8n;

type Block = { address: string; version: 4 | 6; bits: number; isRange: boolean };

function blockIn(text: string): Block | null {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const bitsMax = BITS_MAX[version];
  if (bitsMax === undefined || address.includes('%') || rest.length > 0) return null;
  const isRange = length !== undefined;
  if (isRange && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return null;
  const bits = Number(length ?? bitsMax);
  return bits > bitsMax ? null : { address, version: version === 4 ? 4 : 6, bits, isRange };
}

/**
 * The result of parsing a CIDR block: its canonical form (RFC 5952), or what is wrong with the
 * text.
 */
type NetworkIn = { network: string; flaw?: never } | { network: null; flaw: string };

/** Parses a CIDR block. Bits after its prefix length must be zero. */
export function networkIn(text: string): NetworkIn {
  const block = blockIn(text);
  if (!block) return flawed('must be a CIDR block, such as 203.0.113.0/24');
  const { version, bits, isRange } = block;
  const value = numberOf(block);
  const bitsMax = BigInt(version === 4 ? 32 : 128);
  if (version === 6 && value >> 32n === 0xffffn) {
    const bitsV4 = Math.max(0, bits - 96);
    return flawed(`must be written as IPv4: ${textOf(value & 0xffffffffn, 4)}/${bitsV4}`);
  }
  const hostBits = bitsMax - BigInt(bits);
  const start = (value >> hostBits) << hostBits;
  const network = `${textOf(start, version)}/${bits}`;
  if (!isRange) return flawed(`must have a length: ${network}`);
  if (start !== value) return flawed(`has bits after the length; did you mean ${network}?`);
  return { network };
}

/** Returns what is wrong with an IP address or a CIDR block; null if the text is valid. */
export function addressBlockFlaw(text: string): string | null {
  if (isIP(text) !== 0 && blockIn(text)) return null;
  return networkIn(text).flaw ?? null;
}

/**
 * Whether the first network contains every address of the second. Both must be in canonical form.
 */
export function containsNetwork(outer: string, inner: string): boolean {
  const container = blockIn(outer);
  const contained = blockIn(inner);
  return (
    container?.version === contained?.version &&
    Number(container?.bits) <= Number(contained?.bits) &&
    createAddressCheck([outer])(contained?.address ?? '')
  );
}

const flawed = (flaw: string): NetworkIn => ({ network: null, flaw });

function numberOf({ address, version }: Block): bigint {
  const parts = version === 4 ? address.split('.') : groupsOf(address);
  const [bits, prefix] = version === 4 ? [OCTET_BITS, ''] : [GROUP_BITS, '0x'];
  return parts.reduce((sum, part) => (sum << bits) | BigInt(prefix + part), 0n);
}

/** The eight groups of an IPv6 address, in hexadecimal. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = canonicalV6(address).split('::');
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = GROUPS_V6 - (first?.length ?? 0) - (last?.length ?? 0);
  return [...(first ?? []), ...Array<string>(zeros).fill('0'), ...(last ?? [])];
}

const canonicalV6 = (address: string): string =>
  new URL(`http://[${address}]`).hostname.slice(1, -1);

function textOf(value: bigint, version: 4 | 6): string {
  const [count, bits, base] = version === 4 ? [4, OCTET_BITS, 10] : [GROUPS_V6, GROUP_BITS, 16];
  const mask = (1n << bits) - 1n;
  const parts = Array.from({ length: count }, (_, at) =>
    ((value >> (bits * BigInt(count - 1 - at))) & mask).toString(base),
  );
  return version === 4 ? parts.join('.') : canonicalV6(parts.join(':'));
}

const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Whether an address is IPv4. An IPv4-mapped IPv6 address counts as IPv4. */
const isIPv4 = (address: string, version: number): boolean =>
  version === 4 || mapped.check(address, 'ipv6');

/**
 * Returns a function that checks whether an IP address is in one of the blocks. Node.js also
 * matches IPv4 addresses against IPv6 ranges such as `::/0`, so each IP version has its own list.
 */
export function createAddressCheck(blocks: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const listFor = (address: string, version: number) =>
    isIPv4(address, version) ? lists.ipv4 : lists.ipv6;
  const familyOf = (version: number) => (version === 6 ? 'ipv6' : 'ipv4');
  for (const text of blocks) {
    const block = blockIn(text);
    if (!block) continue;
    const { address, bits, version } = block;
    listFor(address, version).addSubnet(address, bits, familyOf(version));
  }
  return (text) => {
    const [address = ''] = text.split('%');
    const version = isIP(address);
    return version !== 0 && listFor(address, version).check(address, familyOf(version));
  };
}
