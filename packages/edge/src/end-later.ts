// Ends responses after the event loop has read from all connections that had data. A proxy or a
// caller that shares the machine is then woken once and not for each response
// (`npm run bench -- edge`).
import type { ServerResponse } from 'node:http';

type Ending = { response: ServerResponse; text: string; encoding: 'latin1' | 'utf8' };

let endings: Ending[] = [];

export function endLater(ending: Ending): void {
  if (endings.push(ending) === 1) setImmediate(endAll);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { response, text, encoding } of ready) response.end(text, encoding);
}
