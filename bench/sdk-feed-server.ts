// A control plane with BENCH_KEYS keys that serves only its policy, so that the cost of loading it
// in the node is measured and not the cost of serving it. It serializes all keys before it listens:
// otherwise it would compete for CPU caches with the measured node.
import { createServer, type ServerResponse } from 'node:http';
import { entryOf, headOf } from './sdk-keys.ts';

const KEYS = Number(process.env.BENCH_KEYS ?? 1000);

const written = Array.from({ length: KEYS }, (_, at) => JSON.stringify(entryOf(at)));

function tell(response: ServerResponse, from: number, count: number): void {
  const to = Math.min(KEYS, from + count);
  const next_cursor = to < KEYS ? String(to) : null;
  const page = JSON.stringify({ object: 'policy_snapshot', ...headOf(), next_cursor });
  const keys = `,"keys":[${written.slice(from, to).join()}]}`;
  response.setHeader('content-type', 'application/json').end(page.slice(0, -1) + keys);
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/v1/policy/snapshot') {
    tell(response, Number(searchParams.get('cursor')), Number(searchParams.get('max_keys')));
    return;
  }
  if (request.method === 'POST') {
    // Telemetry is accepted and discarded.
    const receipt = { object: 'ingest_receipt', accepted: 0, events_dropped_reported: 0 };
    request.resume().on('end', () => response.writeHead(202).end(JSON.stringify(receipt)));
    return;
  }
  // The policy never changes.
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
