// One exchange with the control plane, within a time and a size. Never throws: what went wrong is
// a value, and hard failures (asking again will not help) are told from soft ones.
import { Broken, hasAtMost, parsed, Room, readInto, TooLarge } from './answer-body.ts';
import type { Fetch } from './options.ts';

export type Exchange = {
  method: 'GET' | 'POST';
  /** Begins with a slash; may carry a query. */
  path: string;
  body?: unknown;
  /** A body that is already written as JSON. */
  bytes?: Uint8Array<ArrayBuffer> | undefined;
  timeoutMs: number;
  bytesMax?: number | undefined;
  /** How many names, values and lists the answer may hold. */
  valuesMax?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** `body` is the parsed JSON, or null without one. */
export type Answer = {
  kind: 'answer';
  status: number;
  headers: Headers;
  body: unknown;
  bytes: number;
};

/** `hard`: the request itself is wrong or not allowed, so that asking again will not help. */
export type Refusal = {
  kind: 'refused';
  hard: boolean;
  status: number;
  code: string | null;
  retryAfterMs: number | null;
};

export type Unreachable = {
  kind: 'unreachable';
  hard: false;
  reason: 'connect' | 'timeout' | 'too_large' | 'broken' | 'not_json' | 'aborted';
  /** The runtime's word for it, as in `CERT_HAS_EXPIRED`, where there is one. */
  code?: string;
};

export type Failure = Refusal | Unreachable;
export type Outcome = Answer | Failure;

export type Transport = { send(exchange: Exchange): Promise<Outcome> };

const BYTES_MAX_DEFAULT = 1024 * 1024;
/** A stored answer may have thousands of headers; all others have a few dozen values. */
const VALUES_MAX_DEFAULT = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Statuses below 500 that pass by themselves. */
const SOFT = new Set([408, 425, 429]);

export type TransportOptions = {
  /** The root of the deployment, without a slash at its end. */
  base: string;
  secretKey: string;
  fetch: Fetch;
  userAgent: string;
};

export function createTransport({
  base,
  secretKey,
  fetch,
  userAgent,
}: TransportOptions): Transport {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${secretKey}`,
    'user-agent': userAgent,
  };
  /** Of several answers at once, one finds it and the others make their own. */
  let spare: Room | null = null;
  return {
    send: async ({ method, path, timeoutMs, signal, ...given }) => {
      const { bytesMax = BYTES_MAX_DEFAULT, valuesMax = VALUES_MAX_DEFAULT } = given;
      const limit = limited(timeoutMs, signal);
      const body = given.body === undefined ? given.bytes : JSON.stringify(given.body);
      try {
        const answering = fetch(base + path, {
          method,
          headers: body === undefined ? headers : { ...headers, 'content-type': JSON_TYPE },
          ...(body !== undefined && { body }),
          signal: limit.signal,
          redirect: 'manual',
        });
        const reading = answering.then(async (response) => {
          const room = spare ?? new Room();
          spare = null;
          const bytes = await readInto(room, response, bytesMax);
          if (!hasAtMost(bytes, valuesMax)) throw new TooLarge();
          const outcome = outcomeOf(response, bytes);
          room.clear();
          spare = room;
          return outcome;
        });
        // A fetch that somebody wrapped may not heed the signal; the time is up all the same.
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

/** Only what looks like a code is told: the words of an error may hold anything. */
function codeBehind(error: unknown): { code?: string } {
  const cause: unknown = Object(error).cause;
  const codes = [cause, ...[Object(cause).errors].flat()].map((each) => Object(each).code);
  const code: unknown = codes.find((each) => typeof each === 'string' && /^[A-Z_\d]+$/.test(each));
  return typeof code === 'string' ? { code } : {};
}

const unreachable = (reason: Unreachable['reason']): Unreachable => ({
  kind: 'unreachable',
  hard: false,
  reason,
});

/** A signal that fires at the caller's wish or after a time, and tells which it was. */
function limited(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let reason: 'timeout' | 'aborted' | null = null;
  let reject: ((reason: unknown) => void) | null = null;
  const over = new Promise<never>((_, fail) => {
    reject = fail;
  });
  controller.signal.addEventListener('abort', () => reject?.(controller.signal.reason));
  over.catch(() => {}); // whoever races it is told
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
      // The runtime keeps the signal for a while; what was raced must not be kept with it.
      reject = null;
      outer?.removeEventListener('abort', abort);
    },
  };
}

function outcomeOf({ status, headers }: Response, bytes: Buffer): Outcome {
  const body = bytes.length === 0 ? null : parsed(bytes);
  if ((status >= 200 && status < 300) || status === 304) {
    if (body === undefined) return unreachable('not_json');
    return { kind: 'answer', status, headers, body, bytes: bytes.length };
  }
  return {
    kind: 'refused',
    // A redirect is what a proxy says that stands before the server; it may pass.
    hard: status >= 400 && status < 500 && !SOFT.has(status),
    status,
    code: codeIn(body),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  };
}

function codeIn(body: unknown): string | null {
  const error: unknown = Object(body).error;
  const code: unknown = Object(error).code;
  return typeof code === 'string' ? code : null;
}

/** Seconds only: the control plane sends no dates. */
function retryAfterMs(text: string | null): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  return Math.min(Number(text) * 1000, RETRY_AFTER_MS_MAX);
}
