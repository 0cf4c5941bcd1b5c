// A trace collector that accepts everything and keeps nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { reportPort } from './listen.ts';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200).end());
});
server.listen({ host: '127.0.0.1', port: 0 });
await once(server, 'listening');
reportPort(server);
