// What Node's own request tells, for every framework that stands upon it.
import type { IncomingMessage } from 'node:http';
import { gather, parsedBytes } from '../body.ts';
import type { IncomingCall } from '../visit.ts';

/** A request, perhaps with what a framework or a body parser has put on it. */
export type NodeRequest = IncomingMessage & {
  originalUrl?: unknown;
  body?: unknown;
  rawBody?: unknown;
};

/** `parsed` stands in for the request where a framework keeps parsed bodies elsewhere. */
export function nodeCall(
  request: NodeRequest,
  route: unknown,
  parsed: { body?: unknown; rawBody?: unknown } = request,
): IncomingCall {
  const { originalUrl, url = '/' } = request;
  // Routers cut what they matched off `url`; the whole of it is what the caller asked for.
  const [path = '/', query] = split(typeof originalUrl === 'string' ? originalUrl : url);
  return {
    method: request.method ?? 'GET',
    path,
    query,
    route: typeof route === 'string' && !route.includes('*') ? route : null,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    bodyBytes: () => bodyOf(request, parsed),
  };
}

function split(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

function bodyOf(
  request: NodeRequest,
  { body, rawBody }: { body?: unknown; rawBody?: unknown },
): Promise<Uint8Array> | Uint8Array {
  if (rawBody instanceof Uint8Array || typeof rawBody === 'string') return parsedBytes(rawBody);
  // A parser leaves an empty object for a body that it does not understand, and does not read it.
  if (!request.readableDidRead) return takeBody(request);
  return body === undefined ? new Uint8Array(0) : parsedBytes(body);
}

/** Before HTTP/2 a body had to be announced. */
function isBodiless({ headers, httpVersionMajor }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return httpVersionMajor < 2 && coding === undefined && Number(length) === 0;
}

/** Whether nothing more will come. Only a message of HTTP/1 says so itself before its end. */
const isRead = (request: IncomingMessage): boolean =>
  request.complete || Object(Reflect.get(request, '_readableState')).ended === true;

type Ended = { destroyed?: boolean; stream?: { destroyed?: boolean } };

/** Whether the caller has gone. Of HTTP/2 only the stream of a request or response says so. */
export const hasLeft = (message: Ended): boolean =>
  message.destroyed === true || message.stream?.destroyed === true;

/** Whether there is a body that nobody has read to its end. */
export const isUnread = (request: IncomingMessage): boolean =>
  !request.readableEnded && !isBodiless(request);

const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding | null): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding ?? 'utf8') : chunk;

/** As text where somebody has asked for text: then the stream gives, and takes, nothing else. */
function unread(request: IncomingMessage, bytes: Buffer): void {
  const { readableEncoding: encoding } = request;
  if (encoding === null) request.unshift(bytes);
  else request.unshift(bytes.toString(encoding), encoding);
}

/** Reads the body and puts it back, so that whoever comes later finds it unread. */
export function takeBody(request: IncomingMessage): Promise<Uint8Array> {
  if (isBodiless(request)) return Promise.resolve(new Uint8Array(0));
  if (hasLeft(request)) return Promise.reject(new Error('The request body broke off.'));
  return new Promise((resolve, reject) => {
    const gathered = gather();
    const stop = () => {
      request.off('readable', read).off('end', end).off('close', broken).off('error', broken);
    };
    const putBack = () => {
      stop();
      const bytes = gathered.bytes();
      if (bytes.length > 0) unread(request, bytes);
      // Only a moment later does the stream know that nobody listens any more.
      setImmediate(resolve, bytes);
    };
    const broken = () => {
      stop();
      reject(new Error('The request body broke off.'));
    };
    const read = () => {
      try {
        for (let chunk = request.read(); chunk !== null; chunk = request.read())
          gathered.add(bytesOf(chunk, request.readableEncoding));
      } catch (error) {
        stop();
        // What is not read would keep the connection from its next request.
        request.resume();
        reject(error);
        return;
      }
      // The end is announced with the next tick, and only if nothing has come back by then.
      if (request.aborted) broken();
      else if (isRead(request)) putBack();
    };
    /** Announced already: what was read could not be put back any more. */
    const end = () => (gathered.size() === 0 ? putBack() : broken());
    request.on('readable', read).on('end', end).on('close', broken).on('error', broken);
  });
}
