// The root URLs of the deployment and its relays.
import { withoutEnd } from '@keyrail/protocol/wire/trim.ts';

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

const ADDRESSES_MAX = 8;

/** One or several root URLs, without trailing slashes. Throws a TypeError. */
export function basesOf(url: string | readonly string[]): string[] {
  const bases = (Array.isArray(url) ? url : [url]).map(baseOf);
  if (bases.length > 0 && bases.length <= ADDRESSES_MAX && new Set(bases).size === bases.length) {
    return bases;
  }
  throw new TypeError(`url must be one URL, or a list of 1 to ${ADDRESSES_MAX} different URLs`);
}

function baseOf(url: string): string {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError('url must start with http:// or https:// and include a host');
  }
  const { username, password, origin, pathname } = new URL(url);
  if (username || password) throw new TypeError('url must not contain a credential');
  return origin + withoutEnd(pathname, '/');
}

/**
 * Whether anyone on the network path can read a credential sent to this URL. The client package has
 * a copy of this rule, because neither package imports the other.
 */
export function isInTheOpen(url: string): boolean {
  const { protocol, hostname: host } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(host);
}
