// A webhook endpoint's URL. It is checked when it is registered. The host's addresses are checked
// again for each connection, because a host name can later point elsewhere.
import { isIP } from 'node:net';
import { type ApiError, invalid } from '../../base/errors.ts';
import { isGlobalAddress } from './global-address.ts';
import type { HostNames } from './host-names.ts';

export type TargetRules = {
  hostNames: Pick<HostNames, 'takePlace' | 'addressesOf'>;
  /** Allows plain HTTP, and addresses on private networks. Set with KEYRAIL_WEBHOOK_PRIVATE. */
  allowPrivate: boolean;
};

/**
 * All ports below this one except the HTTPS port are rejected, because they belong to other
 * services.
 */
const UNPRIVILEGED_PORT = 1024;
const HTTPS_PORT = 443;

const NOT_HTTPS = 'Must start with https://.';
const NOT_PUBLIC = 'The host must resolve to public addresses only.';
/** A hint added to the errors that developers usually run into first, on their own machines. */
const UNLESS = 'For tests and closed networks, start the server with KEYRAIL_WEBHOOK_PRIVATE=on.';

/**
 * Names used only within a machine or a network. They are rejected no matter what a resolver
 * returns.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** The request's workspace, and a signal that aborts when the caller disconnects. */
type Registering = { workspaceId: string; signal: AbortSignal };

export async function checkTarget(
  text: string,
  { hostNames, allowPrivate }: TargetRules,
  { workspaceId, signal }: Registering,
): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) throw refused('Must be a URL.');
  const allowed = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!allowed.includes(url.protocol)) {
    throw refused(url.protocol === 'http:' ? `${NOT_HTTPS} ${UNLESS}` : NOT_HTTPS);
  }
  if (url.username !== '' || url.password !== '') throw refused('Must not contain credentials.');
  if (url.hash !== '') throw refused('Must not contain a fragment.');
  if (!allowPrivate) {
    refusePort(url);
    await refusePrivateHost(url, (hostname) => {
      const place = hostNames.takePlace(workspaceId);
      return hostNames.addressesOf(hostname, { place, signal });
    });
  }
  return url.href;
}

function refusePort({ port }: URL): void {
  const asked = port === '' ? HTTPS_PORT : Number(port);
  if (asked !== HTTPS_PORT && asked < UNPRIVILEGED_PORT) {
    throw refused(`The port must be ${HTTPS_PORT}, or ${UNPRIVILEGED_PORT} or higher.`);
  }
}

/**
 * The URL parser has already normalised all notations of an IPv4 address. A name without an address
 * gets the same message as one with a private address, so that the names on a private network
 * aren't revealed.
 */
async function refusePrivateHost(
  url: URL,
  addressesOf: (hostname: string) => Promise<readonly string[]>,
): Promise<void> {
  const hostname = hostOf(url);
  const name = hostname.replace(/\.$/, '');
  if (isIP(hostname) === 0 && (PRIVATE_NAME.test(name) || !name.includes('.'))) throw notPublic();
  const addresses = isIP(hostname) === 0 ? await addressesOf(hostname) : [hostname];
  if (!areGlobal(addresses)) throw notPublic();
}

/** False if even one of the addresses isn't public. */
export const areGlobal = (addresses: readonly string[]): boolean =>
  addresses.length > 0 && addresses.every(isGlobalAddress);

/** Returns the host, without the brackets around an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const refused = (message: string): ApiError => invalid('body', [{ path: 'url', message }]);

const notPublic = (): ApiError => refused(`${NOT_PUBLIC} ${UNLESS}`);
