// A control plane that serves nothing but its policy, with BENCH_KEYS keys, so that only the node's
// cost of loading it is measured. It serialises all keys before it starts to listen, so as not to
// compete with the measured node for CPU caches.
import { createServer, type ServerResponse } from 'node:http';
import { reportPort } from '../peers/listen.ts';
import { entryOf, headOf } from './keys.ts';

const KEYS = Number(process.env.BENCH_KEYS ?? 1000);

const head = headOf(KEYS);
const entries = Array.from({ length: KEYS }, (_, at) => JSON.stringify(entryOf(at)));

function sendPage(response: ServerResponse, from: number, count: number): void {
  const to = Math.min(KEYS, from + count);
  const next_cursor = to < KEYS ? String(to) : null;
  const page = JSON.stringify({ object: 'policy_snapshot', ...head, next_cursor });
  const keys = `,"keys":[${entries.slice(from, to).join()}]}`;
  response.setHeader('content-type', 'application/json').end(page.slice(0, -1) + keys);
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/v1/policy/snapshot') {
    sendPage(response, Number(searchParams.get('cursor')), Number(searchParams.get('max_keys')));
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
server.listen(0, '127.0.0.1', () => reportPort(server));
