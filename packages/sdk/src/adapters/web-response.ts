// Sends and captures Web responses.

/** Statuses without a body: the Response constructor throws if one is given. */
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
  try {
    return watched(admitted, await run());
  } catch (error) {
    // Also if the result is not a Response, or is one whose body was already read.
    admitted.settle({ failed: true });
    throw error;
  }
}

/** Adds the rate limit headers to a response, and settles when its body is complete. */
export function watched(admitted: Admitted, response: Response): Response {
  const { captureBytesMax, settle } = admitted;
  const named = Object.entries(admitted.headers);
  if (captureBytesMax === 0) {
    settle({ status: response.status });
    return named.length === 0 ? response : withHeaders(response, response.body, named);
  }
  // Read synchronously: a value that is not a Response must throw here, where it is handled.
  const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
  // One branch is sent, the other is stored even if the caller disconnects.
  const [sent = null, kept = null] = response.body?.tee() ?? [];
  void keep(kept, captureBytesMax).then((body) =>
    settle(body === 'broken' ? { failed: true } : { ...answer, body }),
  );
  return withHeaders(response, sent, named);
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

/** The whole body, or null when it is larger than `bytesMax`. */
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

import type { Admitted, ReadyResponse } from '../api/admission.ts';
