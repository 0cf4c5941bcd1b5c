// Turns a Node.js request into an IncomingCall, for every framework built on Node.js requests.
import type { IncomingMessage } from 'node:http';
import type { IncomingCall } from '../api/admission.ts';
import { fieldsOf } from '../json.ts';
import { gather, parsedBytes } from '../request/body.ts';

/** A request, with optional fields that a framework or a body parser may add. */
type NodeRequest = IncomingMessage & {
  originalUrl?: unknown;
  body?: unknown;
  rawBody?: unknown;
};

/** `parsed` is set if the framework keeps parsed bodies on a different object. */
export function nodeCall(
  request: NodeRequest,
  route: unknown,
  parsed: { body?: unknown; rawBody?: unknown } = request,
): IncomingCall {
  const { originalUrl, url = '/' } = request;
  // Mounted routers strip their prefix from `url`; `originalUrl` keeps the complete URL.
  const [path = '/', query] = split(typeof originalUrl === 'string' ? originalUrl : url);
  return {
    method: request.method ?? 'GET',
    path,
    query,
    route: typeof route === 'string' && !route.includes('*') ? route : null,
    header: (name) => {
      // `hasOwn` ignores inherited properties such as `constructor`.
      const value = Object.hasOwn(request.headers, name) ? request.headers[name] : undefined;
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
  // For a content type it does not parse, a body parser sets `body` to an empty object and leaves
  // the stream unread.
  if (!request.readableDidRead) return takeBody(request);
  return body === undefined ? new Uint8Array(0) : parsedBytes(body);
}

/** Before HTTP/2, a request with a body needs one of these headers. */
function isBodiless({ headers, httpVersionMajor }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return httpVersionMajor < 2 && coding === undefined && Number(length) === 0;
}

/** Whether the body has been fully received. Only HTTP/1 sets `complete` before the `end` event. */
const isRead = (request: IncomingMessage): boolean =>
  request.complete || fieldsOf(Reflect.get(request, '_readableState')).ended === true;

type Ended = { destroyed?: boolean; stream?: { destroyed?: boolean } };

/** Whether the caller has disconnected. With HTTP/2, only the underlying stream shows this. */
export const hasLeft = (message: Ended): boolean =>
  message.destroyed === true || message.stream?.destroyed === true;

/** Whether there is a body that has not been fully read. */
export const isUnread = (request: IncomingMessage): boolean =>
  !request.readableEnded && !isBodiless(request);

const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding | null): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding ?? 'utf8') : chunk;

/** After `setEncoding`, the stream emits and accepts only text. */
function unread(request: IncomingMessage, bytes: Buffer): void {
  const { readableEncoding: encoding } = request;
  if (encoding === null) request.unshift(bytes);
  else request.unshift(bytes.toString(encoding), encoding);
}

/** Reads the body and puts it back, so that a later parser can read it. */
export function takeBody(request: IncomingMessage): Promise<Uint8Array> {
  if (isBodiless(request)) return Promise.resolve(new Uint8Array(0));
  if (hasLeft(request)) return Promise.reject(new Error('The request body was cut off.'));
  return new Promise((resolve, reject) => {
    const gathered = gather();
    const stop = () => {
      request.off('readable', read).off('end', end).off('close', broken).off('error', broken);
    };
    const putBack = () => {
      stop();
      const bytes = gathered.bytes();
      if (bytes.length > 0) unread(request, bytes);
      // The stream does not notice that the listener was removed until the current tick ends.
      setImmediate(resolve, bytes);
    };
    const broken = () => {
      stop();
      reject(new Error('The request body was cut off.'));
    };
    const read = () => {
      try {
        for (let chunk = request.read(); chunk !== null; chunk = request.read())
          gathered.add(bytesOf(chunk, request.readableEncoding));
      } catch (error) {
        stop();
        // An unread body would block the next request on the connection.
        request.resume();
        reject(error);
        return;
      }
      // `end` is due in the next tick, but is not emitted if the body has been put back by then.
      if (request.aborted) broken();
      else if (isRead(request)) putBack();
    };
    /** Nothing can be put back after `end`, so anything already read is lost. */
    const end = () => (gathered.size() === 0 ? putBack() : broken());
    request.on('readable', read).on('end', end).on('close', broken).on('error', broken);
  });
}
