// What Node's own response is told and asked, for every framework that stands upon it.
import type { ServerResponse } from 'node:http';
import type { Admitted, Answered } from '../admit.ts';
import type { HandlerAnswer, HeaderValues } from '../stored-answer.ts';
import { hasLeft, isUnread } from './node-call.ts';

/** Sends a refusal or a stored answer. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answered): void {
  if (response.headersSent || hasLeft(response)) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/**
 * Puts the limits on an answer to come, and settles when the handler has ended it. False when there
 * is none to come: while the request was admitted, somebody else has answered it, or its caller has
 * gone and may ask again. `headersNow` asks a framework that keeps them until it sends.
 */
export function watchAnswer(
  response: ServerResponse,
  admitted: Admitted,
  headersNow: () => HeaderValues = () => response.getHeaders(),
): boolean {
  const { headers, captureBytesMax, settle } = admitted;
  if (response.writableEnded) {
    settle({ failed: true });
    return false;
  }
  // Who has gone before this will not go again.
  if (hasLeft(response)) {
    settle({ gone: true });
    // The body went as well: what is answered without it must not be kept for the retry.
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
 * Takes what the handler writes, and settles as soon as it ends: whether the caller is still there
 * to read it does not matter to the one who will ask again.
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
  // A response that ever had a header keeps those that come with writeHead where they can be read.
  if (!response.headersSent) {
    response.setHeader('idempotency-replayed', '');
    response.removeHeader('idempotency-replayed');
  }

  const take = ([chunk, encoding]: unknown[]) => {
    // As they are now, they describe these bytes: an encoder further out has not touched them yet.
    headers ??= addedTo(before, response.getHeaders());
    const bytes = bytesOf(chunk, encoding);
    size += bytes.length;
    if (size <= captureBytesMax) chunks.push(bytes);
  };
  /** Whoever stands further out may write by way of this one what was given to end. */
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
      // Broken off by whoever wrote it, not by the caller: what is there is not the answer.
      if (!response.writableEnded && !response.destroyed) settle({ failed: true });
      return Reflect.apply(destroy, response, why);
    },
  });
}

/**
 * A refusal to a caller who left with its body unread is of a request that the handler never saw
 * whole: the retry may be answered otherwise. What was done is done, with or without a body.
 */
export function outcomeOf(
  response: ServerResponse,
  answer: Omit<HandlerAnswer, 'status'>,
): HandlerAnswer | { failed: true } {
  const { statusCode: status, req } = response;
  const isOfHalf = status >= 400 && hasLeft(response) && isUnread(req);
  return isOfHalf ? { failed: true } : { status, ...answer };
}

/**
 * Headers that were not there before the handler, or not like this. The others speak of the request
 * at hand (whom it lets read the answer, which number it has), and are put on every answer anew.
 */
export const addedTo = (before: HeaderValues, headers: HeaderValues): HeaderValues =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => before[name] === undefined || String(before[name]) !== String(value),
    ),
  );

function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  // Copied, because a writer may use its buffer again.
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return new Uint8Array(0);
  const known = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(chunk, known ? encoding : 'utf8');
}
