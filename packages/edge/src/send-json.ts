// The JSON responses of Edge.
import type { ServerResponse } from 'node:http';
import { endLater } from './end-later.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const codes = {
  400: 'invalid_request',
  401: 'invalid_key',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  503: 'unavailable',
} as const;

export function sendError(
  response: ServerResponse,
  status: keyof typeof codes,
  message: string,
): void {
  sendJson(response, status, { error: { code: codes[status], message } });
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
  sendText(response, status, JSON.stringify(value));
}

/** `text` is JSON. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(length)];
  // Text of one byte for each character is copied as it is, instead of encoded.
  const encoding = length === text.length ? 'latin1' : 'utf8';
  endLater({ response: response.writeHead(status, headers), text, encoding });
}
