// The root URL of a deployment, as clients and nodes get it.
import { withoutEnd } from './trim.ts';

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

/** A root URL, which may be below a path, without trailing slashes. Throws a TypeError. */
export function checkBaseUrl(url: string): string {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError('url must start with http:// or https:// and include a host');
  }
  const { username, password, origin, pathname } = new URL(url);
  // fetch would reject every request with the password in its message.
  if (username || password) throw new TypeError('url must not contain a credential');
  return origin + withoutEnd(pathname, '/');
}

/**
 * Whether anyone on the network can read what is sent to this URL. Plain HTTP is fine on one
 * machine.
 */
export function isUnencrypted(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
