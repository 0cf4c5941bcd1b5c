// Copies a consistent snapshot of the embedded store's directory while the server uses it. Most
// files are copied while the server keeps writing. Then the only connection is reserved, and the
// files that have changed since are copied again. No statement runs during this last pass, and the
// write-ahead log is among the copied files. So opening the copy is like opening the directory
// after a crash: no commit is missing.
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { freeBytesIn } from '../disk-space.ts';

/**
 * File times are only accurate to a few milliseconds, so a file written more recently than this may
 * change unnoticed.
 */
const RECENT_MS = 100;

/** Free space required in addition to the copy's size. */
const SPARE_BYTES = 134_217_728;

type Hold = <T>(use: () => Promise<T>) => Promise<T>;

/** Each file's state before it was copied. */
type Seen = Map<string, string>;

export async function copyDirectory(from: string, to: string, hold: Hold): Promise<void> {
  await refuseWithoutSpace(from, to);
  const seen: Seen = new Map();
  // The second pass is short, so only a few files change during it, and only those have to be
  // copied while requests wait.
  await copyChanged({ from, to, seen });
  await copyChanged({ from, to, seen });
  await hold(() => copyChanged({ from, to, seen }));
}

async function refuseWithoutSpace(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  let bytes = SPARE_BYTES;
  for (const path of await filesIn(from)) bytes += (await statOrNull(join(from, path)))?.size ?? 0;
  const free = freeBytesIn(to);
  if (free >= bytes) return;
  throw new Error(
    `A backup temporarily needs ${mebibytes(bytes)} MiB of free disk space in ${to}, but only ` +
      `${mebibytes(free)} MiB is free. Free up space, or move the data directory to a larger disk.`,
  );
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 1_048_576);

async function copyChanged({ from, to, seen }: { from: string; to: string; seen: Seen }) {
  const paths = await filesIn(from);
  for (const path of paths) {
    const { look, recent } = await lookOf(join(from, path));
    if (look === null || seen.get(path) === look) continue;
    const target = join(to, path);
    await mkdir(join(target, '..'), { recursive: true, mode: 0o700 });
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE).catch(unlessGone);
    if (recent) seen.delete(path);
    else seen.set(path, look);
  }
  const there = new Set(paths);
  for (const path of await filesIn(to)) {
    if (!there.has(path)) await rm(join(to, path), { force: true });
  }
  // Empty directories are part of the database too.
  for (const path of await directoriesIn(from)) await mkdir(join(to, path), { recursive: true });
}

/** `look` is null if the file no longer exists. */
async function lookOf(path: string): Promise<{ look: string | null; recent: boolean }> {
  const found = await statOrNull(path);
  if (found === null) return { look: null, recent: true };
  const { ino, size, mtimeMs, ctimeMs } = found;
  const recent = systemClock.now().getTime() - mtimeMs < RECENT_MS;
  return { look: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, recent };
}

const statOrNull = (path: string) =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    unlessGone(error);
    return null;
  });

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Regular files only, because the lock's sockets are useless without their process. */
const filesIn = (directory: string): Promise<string[]> => entriesIn(directory, 'isFile');

const directoriesIn = (directory: string): Promise<string[]> => entriesIn(directory, 'isDirectory');

async function entriesIn(directory: string, kind: 'isFile' | 'isDirectory'): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry[kind]())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(directory, '/').length));
}
