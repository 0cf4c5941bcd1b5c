// What all builds of this repository do: they compare a checksum of their sources, and they put a
// finished folder in its place. Plain JavaScript without dependencies, as keyrail-server.js needs
// it.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Fills a new folder and then renames it, so that a half-finished build is never used. */
export async function buildFolder(place, fill) {
  mkdirSync(dirname(place), { recursive: true });
  const out = mkdtempSync(join(dirname(place), '.building-'));
  try {
    await fill(out);
    // mkdtemp makes folders that only their owner can read.
    chmodSync(out, 0o755);
    rmSync(place, { recursive: true, force: true });
    renameSync(out, place);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Of names and contents. Times of files say nothing after a copy or a checkout. */
export function checksum(root, paths) {
  const sum = createHash('sha256');
  for (const path of paths) {
    for (const file of sourceFiles(root, path)) {
      sum.update(`${file}\n`).update(readFileSync(join(root, file)));
    }
  }
  return sum.digest('hex');
}

/** The file itself, or all files below the folder except tests; none if it does not exist. */
function sourceFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found && !path.endsWith('.test.ts') ? [path] : [];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => sourceFiles(root, `${path}/${name}`));
}
