// Reads a request's body, for an idempotent request's fingerprint.
import type { Readable } from 'node:stream';
import { fieldsOf } from '../json.ts';

/**
 * Larger bodies are rejected on idempotent routes, because the fingerprint needs the body in
 * memory.
 */
export const IDEMPOTENT_BODY_BYTES_MAX = 10 * 1024 * 1024;

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Compares the class name, because in the CommonJS build, each entry point has its own copy of the
 * class.
 */
export const isTooLarge = (error: unknown): boolean => fieldsOf(error).name === 'BodyTooLarge';

/** Collects chunks; throws BodyTooLarge above IDEMPOTENT_BODY_BYTES_MAX. */
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

/** Reads a stream that has no other reader. */
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
        // The rest of the stream is read and discarded, so that the connection can be reused.
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
      reject(new Error('The request body was cut off.'));
    };
    if (stream.destroyed) broken();
    else stream.on('data', add).on('end', end).on('close', broken).on('error', broken);
  });
}

/**
 * Returns the bytes of a body that a parser has already read: the text, the bytes, or JSON with
 * sorted field names, so that equal bodies have equal bytes.
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

/** Reads a Web request's body without consuming it. */
export async function webBytes(request: Request): Promise<Uint8Array> {
  const gathered = gather();
  const { body } = request.clone();
  // Not `for await`, because some runtimes have no async iteration over streams.
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return gathered.bytes();
    gathered.add(value);
  }
}
