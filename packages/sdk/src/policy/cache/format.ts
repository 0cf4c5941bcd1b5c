// The file format of the policy cache. This file itself does not access the disk.
//
//   magic · salt · version · mac │ ciphertext of: head length · head (JSON) · parts · IDs · extras
//   │ tag
//
// The IDs of native keys come first, then the IDs of imported keys.
//
// Encrypted with AES-256-GCM under a key derived from the secret key and the file's salt. The
// unencrypted front is authenticated with the ciphertext, and by its own MAC, so that the version
// can be trusted without reading the whole file. A truncated file has no valid tag and is rejected.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { endianness } from 'node:os';
import type { Env } from '../../api/context.ts';
import type { Include } from '../../api/options.ts';
import { readBoolean, readInteger, readList, readRecord, readText } from '../../json.ts';
import type { Policy } from '../state.ts';
import { CHUNK_ROWS, type Ids } from '../table/ids.ts';
import { PolicyTable, SHARDS, type TermsSource } from '../table/table.ts';
import { extraPieces, restoreExtras } from './stored-extras.ts';
import { readTerms } from './stored-keys.ts';

/** In this format, a policy file always has a journal, and is considered damaged without one. */
const MAGIC = Buffer.from('keyrail-policy-5');
export const SALT_BYTES = 32;
const VERSION_BYTES = 8;
const MAC_AT = MAGIC.length + SALT_BYTES + VERSION_BYTES;
const MAC_BYTES = 16;
export const FRONT_BYTES = MAC_AT + MAC_BYTES;
export const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const MAC_KEY_BYTES = 32;
const LENGTH_BYTES = 4;
const WORD_BYTES = 4;
const CHUNKS_AT_ONCE = 16;
const ROWS_MAX = 2 ** 26;
const ORDER = /^[BL]E$/;
const ID = /^[\x21-\x7e]{1,100}$/;

/** The policy that a file must belong to. */
export type Belonging = {
  projectId: string;
  /** The environment that the feed is limited to; null for both. */
  env: Env | null;
  tenantIds: readonly string[];
  /** Additional key fields; absent if there are none. */
  include?: readonly Include[];
  /** The features that the node could enforce; absent if there were none. */
  understands?: readonly string[];
  /** Whether the file contains signed responses; absent if not. */
  isProven?: boolean;
};

type Head = {
  belonging: Belonging;
  /** The byte order, which matters because words are copied as they are in memory. */
  order: string;
  workspaceId: string;
  version: number;
  projectDeleted: boolean;
  savedAt: number;
  confirmedAt: number;
  /** The number of words in each part. */
  parts: number[];
  /** The number of ID rows, including removed keys' rows. */
  rows: number;
  importedRows: number;
  terms: [number, TermsSource][];
  /** Whether the file contains extras (additional data about keys); absent if there are none. */
  hasExtras?: boolean;
};

export type KeptTimes = {
  /** When the policy was generated, by the control plane's clock. */
  savedAt: number;
  /** When the node sent the request that last confirmed it, by this machine's clock. */
  confirmedAt: number;
};

export type Kept = KeptTimes & { policy: Policy };

/**
 * Builds a file's unencrypted front. It contains the salt for the key, and the version, which
 * writers compare.
 */
export function frontOf(secretKey: string, salt: Uint8Array, version: number): Buffer {
  const front = Buffer.alloc(FRONT_BYTES);
  MAGIC.copy(front);
  front.set(salt, MAGIC.length);
  front.writeBigUInt64BE(BigInt(version), MAGIC.length + SALT_BYTES);
  keysFor(secretKey, front).mac.copy(front, MAC_AT);
  return front;
}

/**
 * Returns a file's version, or null if the file's unencrypted front was not written with this
 * secret key.
 */
export function versionIn(secretKey: string, file: Buffer): number | null {
  if (file.length < FRONT_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const { mac } = keysFor(secretKey, file);
  if (!timingSafeEqual(mac, file.subarray(MAC_AT, FRONT_BYTES))) return null;
  return Number(file.readBigUInt64BE(MAGIC.length + SALT_BYTES));
}

function keysFor(secretKey: string, front: Buffer): { key: Buffer; nonce: Buffer; mac: Buffer } {
  const salt = front.subarray(MAGIC.length, MAGIC.length + SALT_BYTES);
  const bytes = Buffer.from(
    hkdfSync(
      'sha256',
      secretKey,
      salt,
      'keyrail policy cache',
      KEY_BYTES + NONCE_BYTES + MAC_KEY_BYTES,
    ),
  );
  const macKey = bytes.subarray(KEY_BYTES + NONCE_BYTES);
  const mac = createHmac('sha256', macKey).update(front.subarray(0, MAC_AT)).digest();
  return {
    key: bytes.subarray(0, KEY_BYTES),
    nonce: bytes.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES),
    mac: mac.subarray(0, MAC_BYTES),
  };
}

export function sealer(secretKey: string, front: Buffer) {
  const { key, nonce } = keysFor(secretKey, front);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return cipher.setAAD(front);
}

export function opener(secretKey: string, front: Buffer) {
  const { key, nonce } = keysFor(secretKey, front);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return decipher.setAAD(front);
}

/** Returns a snapshot of a policy, in pieces of bounded size. Later changes do not affect it. */
export function piecesOf(
  { policy, savedAt, confirmedAt }: Kept,
  belonging: Belonging,
): Iterable<Uint8Array> {
  const { table, workspaceId, version, projectDeleted } = policy;
  const parts = table.show();
  const native = table.ids.native.show();
  const imported = table.ids.imported.show();
  const extras = table.showExtras();
  const head: Head = {
    belonging,
    order: endianness(),
    workspaceId,
    version,
    projectDeleted,
    savedAt,
    confirmedAt,
    parts: parts.map(({ length }) => length),
    rows: native.used,
    importedRows: imported.used,
    terms: table.pool.sources(),
    ...(extras && { hasExtras: true }),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  const words = [
    length,
    text,
    ...parts.map((part) => bytesOf(part, part.length)),
    ...chunkPieces(table.ids.native, native),
    ...chunkPieces(table.ids.imported, imported),
  ];
  return extras ? joined(words, extraPieces(extras)) : words;
}

function* joined<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first;
  yield* second;
}

const chunkPieces = (ids: Ids, { used, chunks }: ReturnType<Ids['show']>): Uint8Array[] =>
  chunks.map((words, index) => bytesOf(words, rowsInChunk(used, index) * ids.rowWords));

const bytesOf = (words: Int32Array, count: number): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, count * WORD_BYTES);

const rowsInChunk = (rows: number, index: number): number =>
  Math.min(CHUNK_ROWS, rows - index * CHUNK_ROWS);

/** Throws if the file belongs to a different project or filter. */
function headIn(value: unknown, belonging: Belonging): Head {
  const head = readRecord(value, 'its header');
  if (JSON.stringify(head.belonging) !== JSON.stringify(belonging)) {
    throw new Error('it belongs to another project or filter');
  }
  const parts = readList(head.parts, 'parts', SHARDS);
  const terms = readList(head.terms, 'terms', ROWS_MAX);
  return {
    belonging,
    order: readText(head.order, 'order', ORDER),
    workspaceId: readText(head.workspaceId, 'workspaceId', ID),
    version: readInteger(head.version, 'version'),
    projectDeleted: readBoolean(head.projectDeleted, 'projectDeleted'),
    savedAt: readInteger(head.savedAt, 'savedAt'),
    confirmedAt: readInteger(head.confirmedAt, 'confirmedAt'),
    parts: parts.map((words) => readInteger(words, 'parts')),
    rows: readInteger(head.rows, 'rows', ROWS_MAX),
    importedRows: readInteger(head.importedRows, 'importedRows', ROWS_MAX),
    terms: terms.map((pair): [number, TermsSource] => {
      const [index, source] = readList(pair, 'terms', 2);
      return [readInteger(index, 'terms', ROWS_MAX), readTerms(source)];
    }),
    hasExtras: readBoolean(head.hasExtras ?? false, 'hasExtras'),
  };
}

/**
 * Restores a policy from decrypted bytes. Throws if it belongs to a different project or filter.
 */
export async function restore(
  plain: Buffer,
  belonging: Belonging,
  breathe: () => Promise<void>,
): Promise<Kept> {
  const headBytes = plain.readUInt32BE();
  const rowsAt = LENGTH_BYTES + headBytes;
  const head = headIn(JSON.parse(plain.toString('utf8', LENGTH_BYTES, rowsAt)), belonging);
  const table = new PolicyTable();
  const { native, imported } = table.ids;
  const idWords = head.rows * native.rowWords + head.importedRows * imported.rowWords;
  const words = head.parts.reduce((sum, count) => sum + count, idWords);
  const extrasAt = rowsAt + words * WORD_BYTES;
  const isWhole = head.hasExtras ? plain.length >= extrasAt : plain.length === extrasAt;
  if (head.order !== endianness() || !isWhole) {
    throw new Error('it was written on an incompatible machine');
  }
  for (const [index, source] of head.terms) table.pool.restore(index, source);
  let at = rowsAt;
  const take = (count: number, capacity = count): Int32Array => {
    const taken = new Int32Array(capacity);
    new Uint8Array(taken.buffer).set(plain.subarray(at, at + count * WORD_BYTES));
    at += count * WORD_BYTES;
    return taken;
  };
  const marks = { native: new Uint8Array(head.rows), imported: new Uint8Array(head.importedRows) };
  for (const [index, count] of head.parts.entries()) {
    table.adopt(index, take(count), marks);
    await breathe();
  }
  const adoptIds = async (adopting: Ids, used: Uint8Array): Promise<void> => {
    const { rowWords } = adopting;
    const chunks: Int32Array[] = [];
    for (let index = 0; index * CHUNK_ROWS < used.length; index += 1) {
      chunks.push(take(rowsInChunk(used.length, index) * rowWords, CHUNK_ROWS * rowWords));
      if (index % CHUNKS_AT_ONCE === 0) await breathe();
    }
    adopting.adopt(chunks, used);
  };
  await adoptIds(native, marks.native);
  await adoptIds(imported, marks.imported);
  await restoreExtras(table, plain.subarray(extrasAt), breathe);
  const { workspaceId, version, projectDeleted, savedAt, confirmedAt } = head;
  const policy = { table, version, workspaceId, env: belonging.env, projectDeleted };
  return { policy, savedAt, confirmedAt };
}
