// Responses to bytes that are not valid HTTP, and to requests that never end. They are written to
// the raw socket, because there is no request to route, but in the same format as all other errors.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../base/errors.ts';
import { errorBody } from '../faults.ts';
import type { Lingering } from './lingering.ts';

const responseByCode: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
};

const otherwise = { status: 400, message: 'The request is not valid HTTP.' };

type MalformedRequest = {
  code: string | undefined;
  socket: Socket;
  /** The response's headers. */
  headers: Record<string, string>;
};

/** Responds to a request that couldn't be read, and closes its connection. */
export function refuseMalformed(
  { code, socket, headers }: MalformedRequest,
  lingering: Lingering,
): void {
  if (code === 'ECONNRESET' || !socket.writable || lingering.isAnswered(socket)) {
    socket.destroy();
    return;
  }
  const { status, message } = responseByCode[code ?? ''] ?? otherwise;
  const body = JSON.stringify(errorBody(new ApiError('invalid_request', message)));
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  lingering.endAfter(socket, head + body);
}
