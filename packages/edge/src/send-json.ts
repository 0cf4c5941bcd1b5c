// Sends Edge's JSON responses.
import type { ServerResponse } from 'node:http';
import { endLater } from '@keyrail/protocol/wire/end-later.ts';

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

/** `text` is already JSON. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(length)];
  const isAscii = length === text.length;
  endLater({ response: response.writeHead(status, headers), body: text, isAscii });
}
