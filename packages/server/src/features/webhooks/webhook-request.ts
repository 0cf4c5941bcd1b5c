// One request to the endpoint of a vendor. The address is checked in the look-up of the connection
// itself, so that no name can point elsewhere between the check and the connection. Redirects are
// not followed. Of the response only the status is read.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND_MS } from '../../base/duration.ts';
import { isGlobalAddress } from './global-address.ts';
import { hostOf } from './target-url.ts';

const ANSWER_MS_MAX = 15 * SECOND_MS;

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
};

export type SendRequest = (request: WebhookRequest, stopping?: AbortSignal) => Promise<Attempt>;

type Lookup = (
  hostname: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type SenderParts = {
  allowPrivate: boolean;
  nowMs(): number;
  answerMsMax?: number;
  lookup?: Lookup;
};

class NotPublic extends Error {}

export function createRequestSender(parts: SenderParts): SendRequest {
  const { allowPrivate, nowMs, answerMsMax = ANSWER_MS_MAX, lookup = systemLookup } = parts;
  const checked = checkedLookup(lookup);
  return async ({ url, headers, body }, stopping) => {
    const beganMs = nowMs();
    const late = AbortSignal.timeout(answerMsMax);
    const signal = stopping ? AbortSignal.any([late, stopping]) : late;
    const attempted = (status: number | null, error: string | null): Attempt => ({
      status,
      error,
      durationMs: Math.round(nowMs() - beganMs),
    });
    try {
      const to = new URL(url);
      if (!allowPrivate) refuseLiteral(to);
      const status = await post(to, { headers, body, signal, ...(!allowPrivate && { checked }) });
      const isSuccess = status >= 200 && status < 300;
      return attempted(status, isSuccess ? null : `The response had status ${status}.`);
    } catch (error) {
      return attempted(null, late.aborted ? TOO_LATE : wordsFor(error));
    }
  };
}

/** An address in the URL is connected to without a look-up. */
function refuseLiteral(url: URL): void {
  const host = hostOf(url);
  if (url.protocol !== 'https:') throw new NotPublic();
  if (isIP(host) !== 0 && !isGlobalAddress(host)) throw new NotPublic();
}

/** One address that is not public is enough to refuse a name. */
const checkedLookup =
  (lookup: Lookup): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isGlobalAddress(address))) {
        return done(new NotPublic(), []);
      }
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

type Post = Omit<WebhookRequest, 'url'> & { signal: AbortSignal; checked?: LookupFunction };

const post = (url: URL, { headers, body, signal, checked }: Post): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
      // A connection of its own: nothing of one vendor is shared with another.
      agent: false,
      ...(checked && { lookup: checked }),
    };
    const request = send(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });

const TOO_LATE = 'No response in time.';

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed without a response.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network of the host is unreachable.',
  ABORT_ERR: 'The attempt was interrupted.',
};

/** Says what failed without quoting the response, the certificate or an address. */
function wordsFor(error: unknown): string {
  if (error instanceof NotPublic) return 'The host has an address that is not public.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) return 'The certificate of the host is not valid.';
  return words[code] ?? 'The request failed.';
}
