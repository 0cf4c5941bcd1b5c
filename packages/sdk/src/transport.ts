// One request to the control plane, with a timeout and a size limit. Never throws: failures are
// values. A hard failure is one that a retry cannot fix; all others are soft.
import { type ReadTraceparent, traceHeaders } from '@keyrail/protocol/wire/traceparent.ts';
import { fieldsOf } from './json.ts';
import { BodyBuffer, Broken, hasAtMost, parsed, readInto, TooLarge } from './response-body.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type Exchange = {
  method: 'GET' | 'POST';
  /** The path begins with a slash and may include a query. */
  path: string;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: unknown;
  /** A body already serialised as JSON. */
  bytes?: Uint8Array<ArrayBuffer> | undefined;
  timeoutMs: number;
  bytesMax?: number | undefined;
  /** The maximum number of JSON values (names, values, lists) in the response. */
  valuesMax?: number | undefined;
  /** Keeps a copy of the body as received. */
  keepsRaw?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** `body` is the parsed JSON, or null for an empty body. */
type Answer = {
  kind: 'answer';
  status: number;
  headers: Headers;
  body: unknown;
  bytes: number;
  /** The body as received, if the caller requested it. */
  raw?: Buffer | null;
};

/** `hard`: the request itself is invalid or not allowed, so a retry will not help. */
type Refusal = {
  kind: 'refused';
  hard: boolean;
  status: number;
  code: string | null;
  retryAfterMs: number | null;
};

type Unreachable = {
  kind: 'unreachable';
  hard: false;
  reason: 'connect' | 'timeout' | 'too_large' | 'broken' | 'not_json' | 'aborted';
  /** The runtime's error code, such as `CERT_HAS_EXPIRED`, if there is one. */
  code?: string;
};

export type Failure = Refusal | Unreachable;
export type Outcome = Answer | Failure;

export type Transport = { send(exchange: Exchange): Promise<Outcome> };

const BYTES_MAX_DEFAULT = 1024 * 1024;
/**
 * The default maximum number of JSON values. A stored response may have thousands of headers; other
 * bodies have a few dozen values.
 */
const VALUES_MAX_DEFAULT = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Statuses below 500 that are temporary. */
const SOFT = new Set([408, 425, 429]);

type TransportOptions = {
  /** The root URL of the deployment, without a trailing slash. */
  base: string;
  secretKey: string;
  fetch: Fetch;
  userAgent: string;
  traceparent?: ReadTraceparent | undefined;
};

export function createTransport({
  base,
  secretKey,
  fetch,
  userAgent,
  traceparent,
}: TransportOptions): Transport {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${secretKey}`,
    'user-agent': userAgent,
  };
  /**
   * A buffer that responses reuse. Of several concurrent responses, one uses it and the others
   * allocate their own.
   */
  let spare: BodyBuffer | null = null;
  return {
    send: async ({ method, path, timeoutMs, signal, ...given }) => {
      const { bytesMax = BYTES_MAX_DEFAULT, valuesMax = VALUES_MAX_DEFAULT } = given;
      const limit = limited(timeoutMs, signal);
      const body = given.body === undefined ? given.bytes : JSON.stringify(given.body);
      try {
        const answering = fetch(base + path, {
          method,
          headers: {
            ...headers,
            ...traceHeaders(traceparent),
            ...given.headers,
            ...(body !== undefined && { 'content-type': JSON_TYPE }),
          },
          ...(body !== undefined && { body }),
          signal: limit.signal,
          redirect: 'manual',
        });
        const reading = answering.then(async (response) => {
          const buffer = spare ?? new BodyBuffer();
          spare = null;
          const bytes = await readInto(buffer, response, bytesMax);
          if (!hasAtMost(bytes, valuesMax)) throw new TooLarge();
          const outcome = outcomeOf(response, bytes, given.keepsRaw === true);
          buffer.clear();
          spare = buffer;
          return outcome;
        });
        // If a wrapper around `fetch` ignores the signal, `Promise.race` still enforces the
        // timeout.
        return await Promise.race([reading, limit.over]);
      } catch (error) {
        const ended = limit.ended();
        return ended
          ? unreachable(ended)
          : { ...unreachable(reasonOf(error)), ...codeBehind(error) };
      } finally {
        limit.clear();
      }
    },
  };
}

const JSON_TYPE = 'application/json';

const reasonOf = (error: unknown): Unreachable['reason'] => {
  if (error instanceof TooLarge) return 'too_large';
  return error instanceof Broken ? 'broken' : 'connect';
};

/** Returns only the error code, because an error message may contain anything, even a secret. */
function codeBehind(error: unknown): { code?: string } {
  const { cause } = fieldsOf(error);
  const { errors } = fieldsOf(cause);
  for (const each of [cause, ...(Array.isArray(errors) ? errors : [])]) {
    const { code } = fieldsOf(each);
    if (typeof code === 'string' && /^[A-Z_\d]+$/.test(code)) return { code };
  }
  return {};
}

const unreachable = (reason: Unreachable['reason']): Unreachable => ({
  kind: 'unreachable',
  hard: false,
  reason,
});

/**
 * Returns a signal that aborts after `timeoutMs`, or when the outer signal aborts. `ended` returns
 * which of these happened; null if neither did.
 */
function limited(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let reason: 'timeout' | 'aborted' | null = null;
  let reject: ((reason: unknown) => void) | null = null;
  const over = new Promise<never>((_, fail) => {
    reject = fail;
  });
  controller.signal.addEventListener('abort', () => reject?.(controller.signal.reason));
  over.catch(() => {}); // `send` handles the rejection
  const end = (why: 'timeout' | 'aborted') => () => {
    reason ??= why;
    controller.abort();
  };
  const timer = setTimeout(end('timeout'), timeoutMs);
  const abort = end('aborted');
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    over,
    ended: () => reason,
    clear: () => {
      clearTimeout(timer);
      // The runtime retains the signal for a while, but it must not also retain the promise that
      // `send` passes to `Promise.race`.
      reject = null;
      outer?.removeEventListener('abort', abort);
    },
  };
}

function outcomeOf({ status, headers }: Response, bytes: Buffer, keepsRaw: boolean): Outcome {
  const body = bytes.length === 0 ? null : parsed(bytes);
  if ((status >= 200 && status < 300) || status === 304) {
    if (body === undefined) return unreachable('not_json');
    const raw = keepsRaw ? Buffer.from(bytes) : null;
    return { kind: 'answer', status, headers, body, bytes: bytes.length, raw };
  }
  return {
    kind: 'refused',
    // A redirect comes from a proxy in front of the server and may be temporary.
    hard: status >= 400 && status < 500 && !SOFT.has(status),
    status,
    code: codeIn(body),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  };
}

function codeIn(body: unknown): string | null {
  const { code } = fieldsOf(fieldsOf(body).error);
  return typeof code === 'string' ? code : null;
}

/** Reads `Retry-After` only in seconds, because the control plane sends no dates. */
function retryAfterMs(text: string | null): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  return Math.min(Number(text) * 1000, RETRY_AFTER_MS_MAX);
}
