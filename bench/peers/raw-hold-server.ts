// The least a Node.js program must do to notify many nodes: it holds sockets and writes the same
// bytes to each of them, without an HTTP server. It only understands this benchmark's requests.
import { createServer, type Socket } from 'node:net';
import { reportPort } from './listen.ts';

const BODY_CHARS = 480;

let held: Socket[] = [];
let version = 1;

const responseWith = (fields: object): string => {
  const body = JSON.stringify(fields);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

function change(socket: Socket): void {
  version += 1;
  const waiting = held;
  held = [];
  const bytes = Buffer.from(responseWith({ version, padding: 'x'.repeat(BODY_CHARS) }));
  for (const one of waiting) one.write(bytes);
  socket.write(responseWith({ version }));
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.setEncoding('latin1').on('data', (request: string) => {
    if (request.startsWith('POST /change ')) change(socket);
    else if (request.startsWith('GET /held ')) socket.write(responseWith({ held: held.length }));
    else if (request.startsWith('GET /wait?')) held.push(socket);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => reportPort(server));
