// The root URL of a deployment, as configured in clients and nodes.
import { withoutEnd } from './trim.ts';

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

/**
 * Validates a root URL and removes trailing slashes and any query. It may include a path. Throws a
 * TypeError.
 */
export function checkBaseUrl(url: string): string {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError('url must start with http:// or https:// and include a host');
  }
  const { username, password, origin, pathname } = new URL(url);
  // fetch would reject every request, with an error message that contains the password.
  if (username || password) throw new TypeError('url must not contain a credential');
  return origin + withoutEnd(pathname, '/');
}

/**
 * Whether others on the network could read what is sent to this URL. Plain HTTP within one machine
 * is not considered unencrypted.
 */
export function isUnencrypted(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
