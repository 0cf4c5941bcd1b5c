// The bytes of a request's body, for the fingerprint of an idempotent request.
import type { Readable } from 'node:stream';

/** A body beyond this is refused on idempotent routes: it has to be held whole to be hashed. */
export const IDEMPOTENT_BODY_BYTES_MAX = 10 * 1024 * 1024;

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** By its name: the CommonJS build of an adapter has a class of its own, and so has the node's. */
export const isTooLarge = (error: unknown): boolean => Object(error).name === 'BodyTooLarge';

/** Gathers chunks up to the bound. */
export function gather(): { add(chunk: Uint8Array): void; size(): number; bytes(): Buffer } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add: (chunk) => {
      size += chunk.length;
      if (size > IDEMPOTENT_BODY_BYTES_MAX) throw new BodyTooLarge();
      chunks.push(chunk);
    },
    size: () => size,
    bytes: () => Buffer.concat(chunks, size),
  };
}

/** Of a stream that nobody else reads. */
export function readWhole(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = gather();
    const stop = () => {
      stream.off('data', add).off('end', end).off('close', broken).off('error', broken);
    };
    const add = (chunk: Uint8Array | string) => {
      try {
        gathered.add(Buffer.from(chunk));
      } catch (error) {
        // It flows on, into nowhere: the connection has to come to its next request.
        stop();
        reject(error);
      }
    };
    const end = () => {
      stop();
      resolve(gathered.bytes());
    };
    const broken = () => {
      stop();
      reject(new Error('The request body broke off.'));
    };
    if (stream.destroyed) broken();
    else stream.on('data', add).on('end', end).on('close', broken).on('error', broken);
  });
}

/**
 * Of a body that a parser has already read: its text, its bytes, or its JSON with sorted names, so
 * that equal bodies have equal bytes.
 */
export function parsedBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(JSON.stringify(body, sorted) ?? '');
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of a Web request, which stays readable. */
export async function webBytes(request: Request): Promise<Uint8Array> {
  const gathered = gather();
  const { body } = request.clone();
  // A reader, because not every runtime lets a stream be walked.
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return gathered.bytes();
    gathered.add(value);
  }
}
