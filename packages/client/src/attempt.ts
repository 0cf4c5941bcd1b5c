// Sends one request and reads the whole response, within a time limit and a size limit.
import { KeyrailError, KeyrailUnreachable, refusalOf } from './errors.ts';
import { type Exchange, jsonOrText } from './response.ts';

/** The size limit, which is larger than any API response. Reading stops when it is exceeded. */
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;

export type Prepared = {
  url: URL;
  method: string;
  headers: Headers;
  body: string | Uint8Array<ArrayBuffer> | undefined;
  /** The request has an idempotency key, so the server recognises a retry. */
  isKeyed: boolean;
};

type AttemptLimits = { timeoutMs: number; signal: AbortSignal | undefined };

/**
 * Resolves if the status is 2xx or 304; otherwise rejects with a Keyrail error or the signal's
 * reason.
 */
export async function attempt(
  fetcher: typeof fetch,
  prepared: Prepared,
  { timeoutMs, signal }: AttemptLimits,
): Promise<Exchange> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await exchange(fetcher, prepared, controller.signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (!controller.signal.aborted || error instanceof KeyrailError) throw error;
    const message = `No response from ${prepared.url.origin} within ${Math.round(timeoutMs)} ms.`;
    throw new KeyrailUnreachable('timeout', message);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function exchange(
  fetcher: typeof fetch,
  { url, method, headers, body }: Prepared,
  signal: AbortSignal,
): Promise<Exchange> {
  const response = await fetcher(url, {
    method,
    headers,
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'manual',
    ...(body !== undefined && { body }),
  }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const text = await readText(response, url);
  const { status } = response;
  if (response.ok || status === 304) return { status, headers: response.headers, text };
  // Following a redirect would send the credential elsewhere and turn a POST into a GET.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const message = redirected(url, response.headers.get('location'));
    throw new KeyrailUnreachable('answer', message, { sent: false });
  }
  throw refusalOf(status, response.headers, jsonOrText(text));
}

function redirected(url: URL, location: string | null): string {
  const known = location !== null && URL.canParse(location, url.href);
  const to = known ? ` to ${new URL(location, url).origin}` : '';
  return `${url.origin} redirects${to}. Use that URL instead.`;
}

async function readText(response: Response, { origin }: URL): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > RESPONSE_BYTES_MAX) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    throw new KeyrailUnreachable('network', `The response from ${origin} was cut off.`, { cause });
  }
  await reader.cancel().catch(() => {});
  const message = `The response from ${origin} is larger than ${RESPONSE_BYTES_MAX} bytes.`;
  throw new KeyrailUnreachable('answer', message);
}

function unreachable({ origin }: URL, error: unknown): KeyrailUnreachable {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const why = codeOf(cause) ?? (cause instanceof Error ? cause.message : '');
  const message = `Cannot reach ${origin}${why && `: ${why}`}`;
  return new KeyrailUnreachable(isConnectFailure(cause) ? 'connect' : 'network', message, {
    cause,
  });
}

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined;

/**
 * Whether a request failed before any of it was sent; always false in browsers, which give no
 * reason for failures.
 */
function isConnectFailure(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isConnectFailure);
  if (codeOf(cause) === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if (typeof cause !== 'object' || cause === null || !('syscall' in cause)) return false;
  return cause.syscall === 'connect' || cause.syscall === 'getaddrinfo';
}
