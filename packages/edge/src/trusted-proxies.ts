// Which proxies may pass their callers' requests on to Edge. A proxy that was not set up for Edge,
// such as a TLS terminator on the same machine, must not make verification available to all of its
// callers.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressCheck } from '@keyrail/protocol/wire/address-block.ts';

/** In the setting, this word stands for every Unix socket. */
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

/** A Unix socket has no IP address, but neither has a connection that has been lost. */
export const isUnix = ({ remoteAddress, destroyed }: Socket): boolean =>
  remoteAddress === undefined && !destroyed;

/** Whether a proxy's headers show that it is passing on a caller's request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) {
    if (name === 'via' || name === 'forwarded' || name.startsWith('x-forwarded-')) return true;
  }
  return false;
}
