// The bare programs that Edge is compared with, in one process: a server on a Unix socket that
// allows every request, and one on a port that echoes the JSON it receives.
import { createServer, type RequestListener } from 'node:http';
import { reportPort } from './listen.ts';

const allow: RequestListener = (_, response) => response.writeHead(204).end();

const echo: RequestListener = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(parts).toString()));
    const headers = { 'content-type': 'application/json', 'content-length': text.length };
    response.writeHead(200, headers).end(text);
  });
};

createServer(allow).listen(process.env.BENCH_SOCKET);
const server = createServer(echo).listen(0, '127.0.0.1', () => reportPort(server));
