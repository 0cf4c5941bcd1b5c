// One file in a backup: a table's lines, compressed, and encrypted if there is a key. Files are
// streamed, so they can be of any size.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Bytes, decrypted, encrypted } from './encryption.ts';
import type { Page } from './lines.ts';

/** Digests of a table's lines. The same rows produce the same digests in every store. */
export type Content = { rows: number; contentBytes: number; contentSha256: string };

export type WrittenFile = Content & { bytes: number; sha256: string };

/** Counts and hashes the bytes added to it. */
export function createTally(): { add(chunk: Uint8Array): void; bytes(): number; sha256(): string } {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
    },
    bytes: () => bytes,
    sha256: () => hash.digest('hex'),
  };
}

type Writing = {
  path: string;
  key: string | null;
  /** Called after every page. */
  onRows(rows: number): void;
};

/** Writes a new file and flushes it to disk. */
export async function writeTableFile(
  pages: AsyncIterable<Page>,
  { path, key, onRows }: Writing,
): Promise<WrittenFile> {
  const content = createTally();
  const written = createTally();
  let rows = 0;
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const page of pages) {
      content.add(page.text);
      rows += page.rows;
      onRows(page.rows);
      yield page.text;
    }
  }
  await pipeline(
    Readable.from(lines(), { objectMode: false }),
    createZstdCompress(),
    async function* (packed: Bytes) {
      yield* key === null ? packed : encrypted(packed, key);
    },
    async function* (sealed: Bytes) {
      for await (const chunk of sealed) {
        written.add(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return {
    rows,
    contentBytes: content.bytes(),
    contentSha256: content.sha256(),
    bytes: written.bytes(),
    sha256: written.sha256(),
  };
}

/** The maximum total size of the lines in one statement. A single line may be longer. */
const BATCH_BYTES = 1_048_576;
const BATCH_LINES = 2000;

/**
 * The maximum length of a line, far more than the largest row needs. Without a limit, a compressed
 * line that never ends would fill up memory.
 */
const LINE_BYTES_MAX = 256 * 1_048_576;

const LINE_FEED = 10;

/**
 * Reads a file's lines in batches, and returns their digests at the end. The file's hash has
 * already been checked.
 */
export async function* linesOf(
  path: string,
  key: string | null,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string[], Content> {
  const sealed: Bytes = createReadStream(path);
  const packed = key === null ? sealed : decrypted(sealed, key);
  const plain = createZstdDecompress();
  const unpacking = pipeline(packed, plain);
  unpacking.catch(() => {}); // handled below: the loop fails with the same error
  const content = createTally();
  let rows = 0;
  let batch: string[] = [];
  let batchBytes = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of plain) {
    const bytes: Buffer = chunk;
    content.add(bytes);
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...rest, bytes.subarray(from, at)]);
      rest = [];
      from = at + 1;
      rows += 1;
      batch.push(line.toString('utf8'));
      batchBytes += line.length;
      if (batch.length >= BATCH_LINES || batchBytes >= BATCH_BYTES) {
        yield batch;
        batch = [];
        batchBytes = 0;
      }
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
    restBytes = (from === 0 ? restBytes : 0) + (bytes.length - from);
    if (restBytes > lineBytesMax) throw new Error(`${path} has a line that is too long.`);
  }
  await unpacking;
  if (rest.length > 0) throw new Error(`${path} ends in the middle of a line.`);
  if (batch.length > 0) yield batch;
  return { rows, contentBytes: content.bytes(), contentSha256: content.sha256() };
}

export async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const tally = createTally();
  for await (const chunk of createReadStream(path)) tally.add(chunk);
  return { bytes: tally.bytes(), sha256: tally.sha256() };
}

/** Flushes a directory's entries to disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
