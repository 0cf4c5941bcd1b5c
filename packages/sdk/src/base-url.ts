// The root URLs of the deployment and its relays.
import { checkBaseUrl } from '@keyrail/protocol/wire/base-url.ts';

const ADDRESSES_MAX = 8;

/**
 * Returns one or more root URLs, without trailing slashes. Throws a TypeError if one is invalid.
 */
export function basesOf(url: string | readonly string[]): string[] {
  const bases = (Array.isArray(url) ? url : [url]).map(checkBaseUrl);
  if (bases.length > 0 && bases.length <= ADDRESSES_MAX && new Set(bases).size === bases.length) {
    return bases;
  }
  throw new TypeError(`url must be one URL, or a list of 1 to ${ADDRESSES_MAX} different URLs`);
}
