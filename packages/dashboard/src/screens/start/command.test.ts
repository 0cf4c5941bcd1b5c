// Runs a command from Get started against a server that isn't ready at first.
import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { snippetsOf } from './command.ts';

test('the command waits without output while Edge responds with 503', async (t) => {
  const statuses = [503, 200];
  const server = createServer((_request, response) => {
    response.writeHead(statuses.shift() ?? 500).end('{"a":"body"}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const facts = { url: 'http://127.0.0.1:4400', projectId: 'p', key: 'k', secretKey: 's' };
  const lines = snippetsOf(facts).flatMap(({ code }) => code.split('\n'));
  const waits = lines.filter((line) => line.includes('/readyz'));
  const command = waits.join('\n').replace('4410', String(port)).replace('-delay 1', '-delay 0');
  const child = spawn('sh', ['-c', command]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  deepEqual({ code, output, left: statuses }, { code: 0, output: '', left: [] });
});
