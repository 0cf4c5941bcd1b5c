// Sends and captures Web responses.
import type { Admitted, HeaderValues, ReadyResponse } from '../api/admission.ts';
import { fieldsOf } from '../json.ts';

/** Statuses that don't allow a body. The Response constructor throws if it is given one. */
const BODILESS = new Set([204, 205, 304]);

export const webResponse = ({ status, headers, body }: ReadyResponse): Response =>
  // `asBody` copies the bytes, because Response does not accept a view of shared memory.
  new Response(BODILESS.has(status) ? null : asBody(body), { status, headers });

const asBody = (body: Uint8Array | string) =>
  typeof body === 'string' ? body : new Uint8Array(body);

/** Runs the handler, adds the rate limit headers to its response, and settles the admission. */
export async function settled(
  admitted: Admitted,
  run: () => Response | Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await run();
  } catch (error) {
    admitted.settle({ failed: true });
    throw error;
  }
  return watched(admitted, response);
}

/**
 * Adds the rate limit headers to a response, and settles when its body is complete. The handler has
 * already run, so a retry must not run it again, even if its response cannot be sent.
 */
export function watched(admitted: Admitted, response: Response): Response {
  const { captureBytesMax, settle } = admitted;
  const named = Object.entries(admitted.headers);
  const answer = answerOf(response);
  if (answer === null) {
    settle({ failed: true });
    throw new TypeError(
      'The handler did not return a Response, or its body has already been read.',
    );
  }
  if (captureBytesMax === 0) {
    settle({ status: answer.status });
    return named.length === 0 ? response : withHeaders(response, bodyOf(response), named);
  }
  try {
    // One branch is sent; the other is stored, even if the caller disconnects.
    const [sent = null, kept = null] = bodyOf(response)?.tee() ?? [];
    const passedOn = withHeaders(response, sent, named);
    void keep(kept, captureBytesMax).then((body) =>
      settle(body === 'broken' ? { failed: true } : { ...answer, body }),
    );
    return passedOn;
  } catch (error) {
    settle({ ...answer, body: null });
    throw error;
  }
}

/**
 * Returns the response, or null if the handler returned something else or a response that has
 * already been used.
 */
function answerOf(response: Response): { status: number; headers: HeaderValues } | null {
  const { status, headers, bodyUsed } = fieldsOf(response);
  const isResponse = typeof status === 'number' && isIterable(headers);
  return isResponse && bodyUsed !== true ? { status, headers: Object.fromEntries(headers) } : null;
}

const isIterable = (headers: unknown): headers is Headers =>
  typeof headers === 'object' && headers !== null && Symbol.iterator in headers;

/**
 * Returns the body as one of the runtime's own streams. Other libraries' streams may lack `tee`.
 */
function bodyOf(response: Response): ReadableStream<Uint8Array> | null {
  const { body } = response;
  if (body === null || body instanceof ReadableStream) return body;
  const chunks = chunksOf(response, body);
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(
  response: Response,
  body: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  if (body && Symbol.asyncIterator in body) yield* body;
  else yield new Uint8Array(await response.arrayBuffer());
  return undefined;
}

/** Creates a new Response, because the headers of a fetched one are immutable. */
function withHeaders(
  response: Response,
  body: ReadableStream | null,
  named: [string, string][],
): Response {
  const answer = new Response(body, response);
  for (const [name, value] of named) answer.headers.set(name, value);
  return answer;
}

type Kept = Uint8Array | null | 'broken';

/** Reads the whole body. Returns null if it is larger than `bytesMax`. */
async function keep(stream: ReadableStream | null, bytesMax: number): Promise<Kept> {
  if (stream === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks, size);
      size += value.length;
      if (size > bytesMax) break;
      chunks.push(value);
    }
    void reader.cancel().catch(() => {});
    return null;
  } catch {
    return 'broken';
  }
}
