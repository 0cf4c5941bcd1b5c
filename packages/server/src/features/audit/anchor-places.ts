// The destinations outside the database to which anchors are written: append-only files, and URLs
// that accept a POST. Both get JSON lines, and may get the same line more than once.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, SECOND_MS } from '../../base/duration.ts';
import { VERSION } from '../../base/version.ts';

export type AnchorPlaceSetting = { kind: 'file'; path: string } | { kind: 'url'; url: string };

export type AnchorPlace = {
  /** Stays the same across restarts. Neither the ID nor the label contains credentials. */
  id: string;
  label: string;
  /**
   * Returns true if the destination is empty. The file in the data directory is first replaced by
   * an empty one if it is too large and older than a day.
   */
  startsOver(ageMs: number): Promise<boolean>;
  append(lines: string): Promise<void>;
};

/** The file in the data directory is replaced once it exceeds this size, but at most once a day. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const FILE_AGE_MS_MIN = DAY_MS;

/** Returns the file in the data directory, plus the destinations in KEYRAIL_AUDIT_ANCHORS. */
export const anchorPlacesOf = (
  { dataDir, auditAnchors }: { dataDir: string; auditAnchors: readonly AnchorPlaceSetting[] },
  host: string,
): AnchorPlace[] => [
  createFilePlace({ path: join(dataDir, ANCHOR_FILE), host, isOwn: true }),
  ...auditAnchors.map((place) =>
    place.kind === 'url'
      ? createUrlPlace(place.url)
      : createFilePlace({ path: place.path, host, isOwn: false }),
  ),
];

const ANCHOR_FILE = 'audit-anchors.jsonl';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

type FilePlace = {
  path: string;
  /** Files on different machines are different destinations. */
  host: string;
  /**
   * Whether the file is in the data directory. Only then may this process rename the file and
   * create its directory.
   */
  isOwn: boolean;
  bytesMax?: number;
};

export function createFilePlace(given: FilePlace): AnchorPlace {
  const { path, host, isOwn, bytesMax = FILE_BYTES_MAX } = given;
  return {
    id: digestOf(`file ${host} ${path}`),
    label: path,
    async startsOver(ageMs) {
      const size = await sizeOf(path);
      if (size === 0) return true;
      if (!isOwn || size < bytesMax || ageMs < FILE_AGE_MS_MIN) return false;
      await rename(path, olderName(path));
      return true;
    },
    async append(lines) {
      if (isOwn) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendDurably(path, lines);
    },
  };
}

/** When the file is replaced, one older file is kept next to it. */
const olderName = (path: string): string => path.replace(/(\.jsonl)?$/, '.1$1');

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

// Non-blocking, because opening a pipe without a reader would hang.
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

async function appendDurably(path: string, lines: string): Promise<void> {
  const file = await open(path, APPENDING, 0o600);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    // A crash may have left an incomplete line.
    const isTorn = found.size > 0 && (await lastByte(file, found.size)) !== NEWLINE;
    await file.appendFile(isTorn ? `\n${lines}` : lines);
    await file.sync();
    if (found.size === 0) await syncDirectory(dirname(path));
  } finally {
    await file.close();
  }
}

const NEWLINE = 10;

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

/** Syncs a directory, so that the entry for a new file in it survives a crash. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const POST_MS_MAX = 5 * SECOND_MS;
const PAUSES_MS = [SECOND_MS, 2 * SECOND_MS];

/** A URL is never considered empty, so anchors it has already received aren't sent again. */
export function createUrlPlace(address: string, pausesMs = PAUSES_MS): AnchorPlace {
  const { url, headers } = requestTo(address);
  const post = async (lines: string): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: lines,
      redirect: 'error',
      signal: AbortSignal.timeout(POST_MS_MAX),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`${url.origin} responded with status ${answer.status}`);
  };
  return {
    id: digestOf(`url ${address}`),
    label: url.origin,
    startsOver: async () => false,
    async append(lines) {
      for (const pauseMs of pausesMs) {
        try {
          return await post(lines);
        } catch {
          await sleep(pauseMs);
        }
      }
      await post(lines);
    },
  };
}

/**
 * Moves the URL's username and password to a header, because fetch rejects URLs that contain them.
 */
function requestTo(address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const headers: Record<string, string> = {
    'content-type': 'application/x-ndjson',
    'user-agent': `keyrail/${VERSION}`,
  };
  if (username !== '' || password !== '') {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { url, headers };
}
