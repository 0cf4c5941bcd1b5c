// Sends HTTP responses after the event loop has read from all connections that had data. A client
// on the same machine is then woken once instead of once per response: a rate-limit check in
// process costs 141 instead of 174 µs (`npm run bench -- ratelimit`), an unchanged poll 94 instead
// of 98 (`npm run bench -- policy`), and the gain for Edge is similar (`npm run bench -- edge`).
import type { ServerResponse } from 'node:http';

/** A response whose headers have been written. A 204 or 304 has no body. */
type Ending = {
  response: ServerResponse;
  body: string | Buffer | undefined;
  isAscii: boolean;
};

let endings: Ending[] = [];

export function endLater(ending: Ending): void {
  if (endings.push(ending) === 1) setImmediate(endAll);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { response, body, isAscii } of ready) {
    // For ASCII, both encodings give the same bytes, and latin1 is a plain copy.
    response.end(body, isAscii ? 'latin1' : 'utf8');
  }
}
