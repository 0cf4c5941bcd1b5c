// Reads response bodies.
import { KeyrailUnreachable } from './errors.ts';

export type Exchange = { status: number; headers: Headers; text: string };

/**
 * Parses the body; null if there is none. Throws if it isn't JSON, as when a proxy sends an HTML
 * page.
 */
export function jsonOf({ status, text, headers }: Exchange): unknown {
  if (status === 304 || text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    const type = headers.get('content-type') ?? 'no content type';
    const message = `The response is not JSON (${type}). Is this the URL of a Keyrail server?`;
    throw new KeyrailUnreachable('answer', message);
  }
}

/** Parses the body as JSON if possible, otherwise returns it as text; null if it is empty. */
export function jsonOrText(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
