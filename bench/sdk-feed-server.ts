// A control plane with BENCH_KEYS keys that only tells its policy, so that what a node needs to
// take it in is measured and not what a server needs to tell it.
import { createServer, type ServerResponse } from 'node:http';
import { entryOf, headOf } from './sdk-keys.ts';

const KEYS = Number(process.env.BENCH_KEYS ?? 1000);

function tell(response: ServerResponse, from: number, count: number): void {
  const to = Math.min(KEYS, from + count);
  const keys = Array.from({ length: to - from }, (_, at) => entryOf(from + at));
  const next_cursor = to < KEYS ? String(to) : null;
  const page = { object: 'policy_snapshot', ...headOf(), keys, next_cursor };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/v1/policy/snapshot') {
    tell(response, Number(searchParams.get('cursor')), Number(searchParams.get('max_keys')));
    return;
  }
  if (request.method === 'POST') {
    // Telemetry, taken and forgotten.
    const receipt = { object: 'ingest_receipt', accepted: 0, events_dropped_reported: 0 };
    request.resume().on('end', () => response.writeHead(202).end(JSON.stringify(receipt)));
    return;
  }
  // Nothing ever changes here.
  const held = setTimeout(
    () => response.writeHead(304).end(),
    Number(searchParams.get('wait_ms') ?? 0),
  );
  response.on('close', () => clearTimeout(held));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ ready: typeof address === 'object' ? address?.port : 0 });
});
process.once('disconnect', () => process.exit(0));
