// The vendor's API on three kinds of server. Its response lists the variables that CGI derives from
// the request's headers. CGI replaces "-" with "_", so two headers may become the same variable.
import { spawn, spawnSync } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { until } from '@keyrail/testing/until.ts';

export type Backend = {
  /** Host and port. */
  api: string;
  isFastCgi: boolean;
  /** How many requests the backend has received; null if it doesn't count them. */
  requests(): number | null;
};

async function listening(t: TestContext, server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('close', () => open.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A backend over HTTP. It also accepts WebSocket connections, but exchanges no frames. */
export async function openPlain(t: TestContext): Promise<Backend> {
  let requests = 0;
  const server = createHttpServer((incoming, response) => {
    requests += 1;
    const variables: Record<string, string> = {};
    for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
      const variable = `HTTP_${name.toUpperCase().replaceAll(/[-_.]/g, '_')}`;
      variables[variable] = [variables[variable] ?? [], ...values].flat().join();
    }
    response.end(JSON.stringify(variables));
  });
  server.on('upgrade', ({ headers }, socket) => {
    const seen = `X-Seen: ${headers['x-keyrail-env']}`;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${seen}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  return { api: await listening(t, server), isFastCgi: false, requests: () => requests };
}

const WSGI = `
import json
from wsgiref.simple_server import WSGIRequestHandler, make_server

class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass

def api(environ, start):
    start("200 OK", [("Content-Type", "application/json")])
    seen = {name: text for name, text in environ.items() if name.startswith("HTTP_")}
    return [json.dumps(seen).encode()]

server = make_server("127.0.0.1", 0, api, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
`;

/** A WSGI backend; null if Python is missing. */
export async function openWsgi(t: TestContext): Promise<Backend | null> {
  if (spawnSync('python3', ['--version']).status !== 0) return null;
  const child = spawn('python3', ['-c', WSGI], {
    env: inherited(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => endProcess(child));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.endsWith('\n'));
  return { api: `127.0.0.1:${said.trim()}`, isFastCgi: false, requests: () => null };
}

const PARAMS = 4;
const STDIN = 5;
const STDOUT = 6;
const END_REQUEST = 3;

/** A FastCGI responder that handles one request at a time on each connection. */
export async function openFastCgi(t: TestContext): Promise<Backend> {
  const server = createServer((socket) => {
    let unread = Buffer.alloc(0);
    let params = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (part) => {
      unread = Buffer.concat([unread, part]);
      while (unread.length >= 8 && unread.length >= recordLength(unread)) {
        const content = unread.subarray(8, 8 + unread.readUInt16BE(4));
        const [, type] = unread;
        unread = unread.subarray(recordLength(unread));
        if (type === PARAMS) params = Buffer.concat([params, content]);
        if (type !== STDIN || content.length > 0) continue;
        const text = `Content-Type: application/json\r\n\r\n${JSON.stringify(variablesIn(params))}`;
        socket.write(Buffer.concat([record(STDOUT, text), record(STDOUT, '')]));
        socket.end(record(END_REQUEST, '\0'.repeat(8)));
      }
    });
  });
  return { api: await listening(t, server), isFastCgi: true, requests: () => null };
}

const recordLength = (bytes: Buffer): number => 8 + bytes.readUInt16BE(4) + bytes.readUInt8(6);

function record(type: number, text: string): Buffer {
  const header = Buffer.from([1, type, 0, 1, 0, 0, 0, 0]);
  header.writeUInt16BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** If a variable appears twice, the later value wins, as in PHP. */
function variablesIn(params: Buffer): Record<string, string> {
  const variables: Record<string, string> = {};
  let at = 0;
  const length = (): number => {
    const isShort = params.readUInt8(at) < 128;
    const value = isShort ? params.readUInt8(at) : params.readUInt32BE(at) & 0x7fffffff;
    at += isShort ? 1 : 4;
    return value;
  };
  const text = (bytes: number): string => {
    at += bytes;
    return params.toString('latin1', at - bytes, at);
  };
  while (at < params.length) {
    const nameLength = length();
    const valueLength = length();
    const name = text(nameLength);
    const value = text(valueLength);
    if (name.startsWith('HTTP_')) variables[name] = value;
  }
  return variables;
}
