// Shared by all builds in this repository: computes a checksum of the sources, and moves a finished
// folder into place. Plain JavaScript without dependencies, because keyrail-server.js imports it.
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
    // mkdtemp creates folders that only their owner can read.
    chmodSync(out, 0o755);
    rmSync(place, { recursive: true, force: true });
    renameSync(out, place);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * A checksum of file names and contents. Modification times are no use: they don't survive a copy
 * or a checkout.
 */
export function checksum(root, paths) {
  const sum = createHash('sha256');
  for (const path of paths) {
    for (const file of sourceFiles(root, path)) {
      sum.update(`${file}\n`).update(readFileSync(join(root, file)));
    }
  }
  return sum.digest('hex');
}

/** The file itself, or all files in the folder except tests; empty if the path does not exist. */
function sourceFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found && !path.endsWith('.test.ts') ? [path] : [];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => sourceFiles(root, `${path}/${name}`));
}
