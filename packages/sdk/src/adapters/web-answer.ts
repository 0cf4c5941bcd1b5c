// What a Web response is given and asked.
import type { Admitted, Answered } from '../admit.ts';

/** Statuses whose answers have no body; a Response refuses to be made with one. */
const BODILESS = new Set([204, 205, 304]);

export const webAnswer = ({ status, headers, body }: Answered): Response =>
  // Copied, because a Response takes only bytes that nobody else shares.
  new Response(BODILESS.has(status) ? null : asBody(body), { status, headers });

const asBody = (body: Uint8Array | string) =>
  typeof body === 'string' ? body : new Uint8Array(body);

/** Runs the handler, puts the limits on its answer, and settles by it. */
export async function settled(
  admitted: Admitted,
  run: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return watched(admitted, await run());
  } catch (error) {
    // Also where what came was no answer, or one that somebody had read already.
    admitted.settle({ failed: true });
    throw error;
  }
}

/** Puts the limits on an answer, and settles when all of it is known. */
export function watched(admitted: Admitted, response: Response): Response {
  const { captureBytesMax, settle } = admitted;
  const named = Object.entries(admitted.headers);
  if (captureBytesMax === 0) {
    settle({ status: response.status });
    return named.length === 0 ? response : withHeaders(response, response.body, named);
  }
  // Read first: what is no answer at all fails here, where somebody is told.
  const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
  // One branch goes to the caller, the other is kept, whatever becomes of the caller.
  const [sent = null, kept = null] = response.body?.tee() ?? [];
  void keep(kept, captureBytesMax).then((body) =>
    settle(body === 'broken' ? { failed: true } : { ...answer, body }),
  );
  return withHeaders(response, sent, named);
}

/** Made anew, because an answer that was fetched from elsewhere cannot be given headers. */
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

/** The whole of a body, or null when there is more of it than may be kept. */
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
