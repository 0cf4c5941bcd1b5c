// Proxies that may pass their callers' requests on to Edge. A proxy that was not set up for Edge,
// such as a TLS terminator on the same machine, must not open verification to all of its callers.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';

/** In the setting, this stands for every Unix socket. */
export const UNIX = 'unix';

export type TrustsPeer = (socket: Socket) => boolean;

/** `proxies` are IP address ranges, and `unix`. */
export function createTrust(proxies: readonly string[]): TrustsPeer {
  const trustsUnix = proxies.includes(UNIX);
  const isInBlock = createAddressCheck(proxies.filter((one) => one !== UNIX));
  return (socket) => {
    const { remoteAddress: address } = socket;
    return address === undefined ? trustsUnix && isUnix(socket) : isInBlock(address);
  };
}

/** A Unix socket has no IP address, but neither does a lost connection. */
export const isUnix = ({ remoteAddress, destroyed }: Socket): boolean =>
  remoteAddress === undefined && !destroyed;

/** Whether a proxy declares that it passes on a caller's request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) {
    if (name === 'via' || name === 'forwarded' || name.startsWith('x-forwarded-')) return true;
  }
  return false;
}
