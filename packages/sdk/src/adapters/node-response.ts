// Sends and captures Node.js responses, for every framework built on them.
import type { ServerResponse } from 'node:http';
import type { Admitted, HandlerResponse, HeaderValues, ReadyResponse } from '../api/admission.ts';
import { hasLeft, isUnread } from './node-call.ts';

/** Sends a denial or a replay. */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body }: ReadyResponse,
): void {
  if (response.headersSent || hasLeft(response)) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/**
 * Adds the rate limit headers to a response, and settles the admission when the handler has
 * completed the response. Returns false if the handler must not run because, during admission,
 * other code ended the response or the caller disconnected (and may retry). `headersNow` also reads
 * the headers that a framework has yet to set on the response.
 */
export function watchResponse(
  response: ServerResponse,
  admitted: Admitted,
  headersNow: () => HeaderValues = () => response.getHeaders(),
): boolean {
  const { headers, captureBytesMax, settle } = admitted;
  if (response.writableEnded) {
    settle({ failed: true });
    return false;
  }
  // The caller disconnected before this point, so there will be no `close` event.
  if (hasLeft(response)) {
    settle({ gone: true });
    // The request body is lost too, and a response created without it must not be stored for a
    // retry.
    if (captureBytesMax > 0) {
      settle({ failed: true });
      return false;
    }
  }
  if (!response.headersSent) {
    for (const name in headers) response.setHeader(name, headers[name] ?? '');
  }
  if (captureBytesMax > 0) capture(response, admitted, { ...headersNow() });
  response.on('close', () => {
    if (!response.writableEnded) settle({ gone: true });
    else if (captureBytesMax === 0) settle({ status: response.statusCode });
  });
  return true;
}

/**
 * Captures what the handler writes, and settles when the handler ends the response. The response is
 * stored for a retry even if the caller has disconnected.
 */
function capture(
  response: ServerResponse,
  { captureBytesMax, settle }: Admitted,
  before: HeaderValues,
): void {
  const { write, end, destroy } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let headers: HeaderValues | null = null;
  // Once a header has been set, Node.js merges headers passed to writeHead() into getHeaders().
  if (!response.headersSent) {
    response.setHeader('idempotency-replayed', '');
    response.removeHeader('idempotency-replayed');
  }

  const take = ([chunk, encoding]: unknown[]) => {
    // Read the headers while they still describe these bytes, because an outer encoder may change
    // them.
    headers ??= addedTo(before, response.getHeaders());
    const bytes = bytesOf(chunk, encoding);
    size += bytes.length;
    if (size <= captureBytesMax) chunks.push(bytes);
  };
  /**
   * True while the original `write` or `end` runs. If it calls `write`, that data has already been
   * captured.
   */
  let isPassing = false;
  const pass = (act: typeof write | typeof end, sent: unknown[]): unknown => {
    const wasPassing = isPassing;
    isPassing = true;
    try {
      return Reflect.apply(act, response, sent);
    } finally {
      isPassing = wasPassing;
    }
  };
  Object.assign(response, {
    write: (...sent: unknown[]) => {
      if (!isPassing) take(sent);
      return pass(write, sent);
    },
    end: (...sent: unknown[]) => {
      const isFirst = !isPassing && !response.writableEnded;
      if (isFirst) take(sent);
      const ended = pass(end, sent);
      const body = size <= captureBytesMax ? Buffer.concat(chunks) : null;
      if (isFirst) settle(outcomeOf(response, { headers: headers ?? {}, body }));
      return ended;
    },
    destroy: (...why: unknown[]) => {
      // It was the handler that gave up, not the caller, so the captured response is incomplete.
      if (!response.writableEnded && !response.destroyed) settle({ failed: true });
      return Reflect.apply(destroy, response, why);
    },
  });
}

/**
 * If the caller disconnected before its body was read, the handler never saw the whole request. An
 * error response is then not stored, so that a retry runs again. A success is stored, because the
 * work was done.
 */
export function outcomeOf(
  response: ServerResponse,
  answer: Omit<HandlerResponse, 'status'>,
): HandlerResponse | { failed: true } {
  const { statusCode: status, req } = response;
  const isOfHalf = status >= 400 && hasLeft(response) && isUnread(req);
  return isOfHalf ? { failed: true } : { status, ...answer };
}

/**
 * Returns the headers that the handler added or changed. Headers set earlier by middleware (CORS,
 * request ID) belong to this one request and are not stored.
 */
export const addedTo = (before: HeaderValues, headers: HeaderValues): HeaderValues =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => before[name] === undefined || String(before[name]) !== String(value),
    ),
  );

function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  // The bytes are copied, because the writer may reuse its buffer.
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return new Uint8Array(0);
  const known = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(chunk, known ? encoding : 'utf8');
}
