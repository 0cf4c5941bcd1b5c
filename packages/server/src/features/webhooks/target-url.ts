// The URL of a webhook endpoint. It is checked when it is registered, and its address again at each
// connection, because a host name can point elsewhere later.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type ApiError, invalid } from '../../base/errors.ts';
import { isGlobalAddress } from './global-address.ts';

/** The addresses of a host name. Throws the resolver's error if it has none. */
type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** As connections resolve it, by the settings of the system. */
export const resolveHost: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export type TargetRules = {
  resolveHost: ResolveHost;
  /** Allows plain HTTP and addresses of private networks: KEYRAIL_WEBHOOK_PRIVATE. */
  allowPrivate: boolean;
};

/** Ports below this one belong to other services than HTTPS. */
const UNPRIVILEGED_PORT = 1024;
const HTTPS_PORT = 443;

/** Names that never leave a machine or a network, whatever a resolver answers. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** These say that a name does not exist. Any other failure of the resolver may pass. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

export async function checkTarget(text: string, rules: TargetRules): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) throw refused('Must be a URL.');
  const allowed = rules.allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!allowed.includes(url.protocol)) throw refused('Must begin with https://.');
  if (url.username !== '' || url.password !== '') throw refused('Must not contain credentials.');
  if (url.hash !== '') throw refused('Must not contain a fragment.');
  if (!rules.allowPrivate) {
    refusePort(url);
    await refusePrivateHost(url, rules.resolveHost);
  }
  return url.href;
}

function refusePort({ port }: URL): void {
  const asked = port === '' ? HTTPS_PORT : Number(port);
  if (asked !== HTTPS_PORT && asked < UNPRIVILEGED_PORT) {
    throw refused(`The port must be ${HTTPS_PORT} or from ${UNPRIVILEGED_PORT} on.`);
  }
}

/** The parser has already turned every spelling of an IPv4 address into the usual one. */
async function refusePrivateHost(url: URL, resolveHost: ResolveHost): Promise<void> {
  const hostname = hostOf(url);
  if (isIP(hostname) !== 0) {
    if (!isGlobalAddress(hostname)) throw notPublic();
    return;
  }
  const name = hostname.replace(/\.$/, '');
  if (PRIVATE_NAME.test(name) || !name.includes('.')) throw notPublic();
  const addresses = await resolveHost(hostname).catch((error: unknown) => {
    if (isMissing(error)) throw refused(`There is no host with the name ${name}.`);
    return [];
  });
  if (!addresses.every(isGlobalAddress)) throw notPublic();
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NO_SUCH_NAME.has(String(error.code));

const refused = (message: string): ApiError => invalid('body', [{ path: 'url', message }]);

const notPublic = (): ApiError => refused('The host must have a public address.');
