// Which proxies may pass their callers' requests on to Edge. A proxy that was not set up for Edge,
// such as a TLS terminator on the same machine, must not expose verification to all of its callers.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';

/** The word that represents every Unix socket in the setting. */
export const UNIX = 'unix';

export type TrustsPeer = (socket: Socket) => boolean;

/** `proxies` contains IP address ranges and, for Unix sockets, `unix`. */
export function createTrust(proxies: readonly string[]): TrustsPeer {
  const trustsUnix = proxies.includes(UNIX);
  const isInBlock = createAddressCheck(proxies.filter((one) => one !== UNIX));
  return (socket) => {
    const { remoteAddress: address } = socket;
    return address === undefined ? trustsUnix && isUnix(socket) : isInBlock(address);
  };
}

/** A Unix socket has no IP address, but neither does a connection that has been lost. */
export const isUnix = ({ remoteAddress, destroyed }: Socket): boolean =>
  remoteAddress === undefined && !destroyed;

const OF_A_PROXY = /^(?:via$|forwarded$|x-forwarded-)/i;

/**
 * Whether a proxy's headers show that it is passing on a caller's request. Reads `rawHeaders`,
 * because Node.js builds `headers` only when they are read, and a verification needs none of them.
 */
export function isForwarded({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  // In rawHeaders, names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (OF_A_PROXY.test(rawHeaders[at] ?? '')) return true;
  }
  return false;
}
