// The bytes of a policy cache: nothing here touches a disk.
//
//   magic · salt · version │ ciphertext of: head length · head (JSON) · rows │ tag
//
// Sealed with AES-256-GCM under a key that only the holder of the secret key can derive, fresh for
// each file by its salt. What stands before the ciphertext is authenticated with it. A file without
// its tag is as wrong as one with another tag.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { endianness } from 'node:os';
import type { Env, RateLimitRule } from '../context.ts';
import { CHUNK_ROWS, ROW_WORDS } from './rows.ts';
import type { Policy } from './standing.ts';
import { PolicyTable } from './table.ts';

const MAGIC = Buffer.from('keyrail-policy-1');
export const SALT_BYTES = 32;
const VERSION_BYTES = 8;
export const FRONT_BYTES = MAGIC.length + SALT_BYTES + VERSION_BYTES;
export const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const LENGTH_BYTES = 4;
const ROW_BYTES = ROW_WORDS * 4;

/** Which policy a file must be of. */
export type Belonging = {
  projectId: string;
  /** What the feed is narrowed to. */
  env: Env | null;
  tenantIds: readonly string[];
};

type Head = {
  belonging: Belonging;
  /** Rows are copied as they lie in memory. */
  order: string;
  workspaceId: string;
  version: number;
  projectDeleted: boolean;
  savedAt: number;
  rows: number;
  scopes: [number, readonly string[]][];
  limits: [number, readonly RateLimitRule[]][];
};

export type Kept = { policy: Policy; savedAt: number };

/** What is in clear: who may open the rest needs it, and who overwrites it looks at the version. */
export function frontOf(salt: Uint8Array, version: number): Buffer {
  const front = Buffer.alloc(FRONT_BYTES);
  MAGIC.copy(front);
  front.set(salt, MAGIC.length);
  front.writeBigUInt64BE(BigInt(version), MAGIC.length + SALT_BYTES);
  return front;
}

/** The version that a file claims; null when it is none of ours. */
export function versionIn(front: Buffer): number | null {
  if (front.length < FRONT_BYTES || !front.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  return Number(front.readBigUInt64BE(MAGIC.length + SALT_BYTES));
}

function keyFor(secretKey: string, front: Buffer): { key: Buffer; nonce: Buffer } {
  const salt = front.subarray(MAGIC.length, MAGIC.length + SALT_BYTES);
  const bytes = Buffer.from(
    hkdfSync('sha256', secretKey, salt, 'keyrail policy cache', KEY_BYTES + NONCE_BYTES),
  );
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}

export function sealer(secretKey: string, front: Buffer) {
  const { key, nonce } = keyFor(secretKey, front);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return cipher.setAAD(front);
}

export function opener(secretKey: string, front: Buffer) {
  const { key, nonce } = keyFor(secretKey, front);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return decipher.setAAD(front);
}

/** A policy as it is now, in pieces of bounded size: later changes do not show in them. */
export function piecesOf(
  { table, workspaceId, version, projectDeleted }: Policy,
  belonging: Belonging,
  savedAt: number,
): Uint8Array[] {
  const { used, chunks } = table.rows.show();
  const head: Head = {
    ...{ belonging, order: endianness(), workspaceId, version, projectDeleted, savedAt },
    rows: used,
    scopes: table.scopePool.sources(),
    limits: table.limitPool.sources(),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  const rows = chunks.map((words, index) => {
    const count = Math.min(CHUNK_ROWS, used - index * CHUNK_ROWS);
    return new Uint8Array(words.buffer, words.byteOffset, count * ROW_BYTES);
  });
  return [length, text, ...rows];
}

/** What was sealed, once its tag was found right. Throws when it is of something else. */
export async function restore(
  plain: Buffer,
  belonging: Belonging,
  breathe: () => Promise<void>,
): Promise<Kept> {
  const headBytes = plain.readUInt32BE();
  const rowsAt = LENGTH_BYTES + headBytes;
  const head: Head = JSON.parse(plain.toString('utf8', LENGTH_BYTES, rowsAt));
  if (JSON.stringify(head.belonging) !== JSON.stringify(belonging)) {
    throw new Error('it is of another project or filter');
  }
  if (head.order !== endianness() || plain.length !== rowsAt + head.rows * ROW_BYTES) {
    throw new Error('it was written by another kind of machine');
  }
  const table = new PolicyTable();
  for (const [index, source] of head.scopes) table.scopePool.restore(index, source);
  for (const [index, source] of head.limits) table.limitPool.restore(index, source);
  for (let from = 0; from < head.rows; from += CHUNK_ROWS) {
    const rows = Math.min(CHUNK_ROWS, head.rows - from);
    const words = new Int32Array(CHUNK_ROWS * ROW_WORDS);
    const bytes = plain.subarray(rowsAt + from * ROW_BYTES, rowsAt + (from + rows) * ROW_BYTES);
    new Uint8Array(words.buffer).set(bytes);
    table.adopt(words, rows);
    await breathe();
  }
  const { workspaceId, version, projectDeleted, savedAt } = head;
  const policy = { table, version, workspaceId, env: belonging.env, projectDeleted };
  return { policy, savedAt };
}
