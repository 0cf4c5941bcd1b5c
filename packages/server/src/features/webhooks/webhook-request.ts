// Sends one request to a vendor's endpoint. It connects only to the addresses that were checked, so
// a name can't point elsewhere between the check and the connection. Redirects aren't followed, and
// only the response's status is read.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND_MS } from '../../base/duration.ts';
import type { HostNames, Place } from './host-names.ts';
import { areGlobal, hostOf } from './target-url.ts';

const ANSWER_MS_MAX = 15 * SECOND_MS;
/**
 * The maximum number of a host's addresses to try, so that a name can't make the server try an
 * entire network.
 */
const ADDRESSES_MAX = 8;

export type Attempt = {
  /** Null if there was no response. */
  status: number | null;
  /** Null if the status was 2xx. */
  error: string | null;
  durationMs: number;
};

export type WebhookRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  workspaceId: string;
  /** The slot for the host lookup, if the caller has already taken one. */
  place?: Place | undefined;
};

export type SendRequest = (request: WebhookRequest, stopping?: AbortSignal) => Promise<Attempt>;

type SenderParts = {
  allowPrivate: boolean;
  hostNames: Pick<HostNames, 'awaitPlace' | 'addressesOf'>;
  nowMs(): number;
  answerMsMax?: number;
};

/** The host has no address, or has one that isn't public. */
class NoAddress extends Error {}

export function createRequestSender(parts: SenderParts): SendRequest {
  const { allowPrivate, hostNames, nowMs, answerMsMax = ANSWER_MS_MAX } = parts;

  async function addressesOf({ url, workspaceId, place }: WebhookRequest, signal: AbortSignal) {
    const hostname = hostOf(new URL(url));
    if (isIP(hostname) === 0) {
      const lookup = { place: place ?? hostNames.awaitPlace(workspaceId), signal };
      return hostNames.addressesOf(hostname, lookup);
    }
    place?.release();
    return [hostname];
  }

  return async (request, stopping) => {
    const beganMs = nowMs();
    const late = AbortSignal.timeout(answerMsMax);
    const signal = stopping ? AbortSignal.any([late, stopping]) : late;
    const attempted = (status: number | null, error: string | null): Attempt => ({
      status,
      error,
      durationMs: Math.round(nowMs() - beganMs),
    });
    try {
      const addresses = await addressesOf(request, signal);
      signal.throwIfAborted();
      if (addresses.length === 0) throw new NoAddress();
      if (!allowPrivate && !isPublic(request.url, addresses)) throw new NoAddress();
      const status = await post(request, addresses.slice(0, ADDRESSES_MAX), signal);
      const isSuccess = status >= 200 && status < 300;
      return attempted(status, isSuccess ? null : `The response had status ${status}.`);
    } catch (error) {
      return attempted(null, late.aborted ? TOO_LATE : wordsFor(error, allowPrivate));
    }
  };
}

const isPublic = (url: string, addresses: readonly string[]): boolean =>
  url.startsWith('https:') && areGlobal(addresses);

const post = (
  { url, headers, body }: WebhookRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? secureRequest : plainRequest;
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
      // Uses a separate connection for each request, so that vendors don't share any state.
      agent: false,
      lookup: answering(addresses),
    };
    const request = send(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });

const answering =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first = { address: '', family: 0 }] = found;
    if (all) done(null, found);
    else done(null, first.address, first.family);
  };

const TOO_LATE = 'The endpoint did not respond in time.';
const UNRESOLVED = 'The host name could not be resolved.';
/** Also used for names that don't exist, so that the names on a private network aren't revealed. */
const NOT_PUBLIC = 'The host must resolve to public addresses only.';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed without a response.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: "The host's network is unreachable.",
};

/** Says what failed, without quoting the response, the certificate or an address. */
function wordsFor(error: unknown, allowPrivate: boolean): string {
  if (error instanceof NoAddress) return allowPrivate ? UNRESOLVED : NOT_PUBLIC;
  if (error instanceof Error && error.name === 'AbortError') return 'The attempt was interrupted.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) return "The host's certificate is not valid.";
  return words[code] ?? 'The request failed.';
}
