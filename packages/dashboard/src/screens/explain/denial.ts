// The exact response the SDK sends to a denied caller.
import type { DenialResponse } from '@keyrail/protocol/wire/denials.ts';

const phrases: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Formats the response as HTTP/1.1. */
export function denialText({ status, headers, body }: DenialResponse): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${phrases[status] ?? ''}`, ...fields, '', body].join('\n');
}
