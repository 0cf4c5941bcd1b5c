// One exchange with the server, from fetch to the last byte, within a time and a size.
import { KeyrailError, KeyrailUnreachable, refusalOf } from './errors.ts';

/** More than any answer of the API; what comes beyond is not read. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export type Prepared = {
  url: URL;
  method: string;
  headers: Headers;
  body: string | Uint8Array<ArrayBuffer> | undefined;
};

export type Exchanged = { status: number; headers: Headers; text: string };

export type Within = { timeoutMs: number; signal: AbortSignal | undefined };

/** Resolves with a success or a 304; rejects with one of our errors, or the caller's reason. */
export async function attempt(
  fetcher: typeof fetch,
  prepared: Prepared,
  { timeoutMs, signal }: Within,
): Promise<Exchanged> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await exchange(fetcher, prepared, controller.signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (!controller.signal.aborted || error instanceof KeyrailError) throw error;
    const message = `No answer from ${prepared.url.origin} within ${Math.round(timeoutMs)} ms.`;
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
): Promise<Exchanged> {
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
  // A credential must not follow a redirect, and a redirected POST would arrive as a GET.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    throw new KeyrailUnreachable('answer', redirected(url, response.headers.get('location')));
  }
  throw refusalOf(status, response.headers, parsedOrText(text));
}

function redirected(url: URL, location: string | null): string {
  const known = location !== null && URL.canParse(location, url.href);
  const to = known ? ` to ${new URL(location, url).origin}` : '';
  return `${url.origin} redirects${to}: use the address it leads to.`;
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
      if (bytes > ANSWER_BYTES_MAX) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    throw new KeyrailUnreachable('network', `The answer of ${origin} broke off.`, { cause });
  }
  await reader.cancel().catch(() => {});
  const message = `The answer of ${origin} is larger than ${ANSWER_BYTES_MAX} bytes.`;
  throw new KeyrailUnreachable('answer', message);
}

export function parsedOrText(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unreachable({ origin }: URL, error: unknown): KeyrailUnreachable {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const why = codeOf(cause) ?? (cause instanceof Error ? cause.message : '');
  const message = `Cannot reach ${origin}${why && `: ${why}`}`;
  return new KeyrailUnreachable(isOfConnecting(cause) ? 'connect' : 'network', message, { cause });
}

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined;

/** Whether it failed before a byte was sent. Browsers do not tell, so there it is never certain. */
function isOfConnecting(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isOfConnecting);
  if (codeOf(cause) === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if (typeof cause !== 'object' || cause === null || !('syscall' in cause)) return false;
  return cause.syscall === 'connect' || cause.syscall === 'getaddrinfo';
}
