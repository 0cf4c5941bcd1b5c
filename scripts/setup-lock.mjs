/**
 * Allows only one setup at a time per clone. The lock is a directory, because creating one is
 * atomic. Its holder touches it regularly, so that other processes notice when the holder has died.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WAIT_MS_MAX = 900_000;
const POLL_MS = 200;
const TOUCH_MS = 2_000;
const STALE_MS = 30_000;

/** Runs `work` while no other process sets up the same clone. */
export async function withLock(root, work) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const lock = join(tmpdir(), `keyrail-setup-${name}`);
  await take(lock);
  const touch = setInterval(() => touchQuietly(lock), TOUCH_MS);
  const release = () => rmSync(lock, { recursive: true, force: true });
  const interrupted = () => process.exit(130);
  process.once('exit', release).once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await work();
  } finally {
    clearInterval(touch);
    release();
    process.off('exit', release).off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

async function take(lock) {
  const deadline = Date.now() + WAIT_MS_MAX;
  let hasLogged = false;
  while (!tryTake(lock)) {
    if (isAbandoned(lock) && clearAway(lock)) continue;
    if (!hasLogged) console.error('keyrail: waiting for another program to install dependencies');
    hasLogged = true;
    if (Date.now() > deadline) {
      throw new Error(`Waited too long for another setup. If none is running, remove ${lock}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Renames a directory that contains the pid to the lock's name, which fails while the lock is held.
 */
function tryTake(lock) {
  if (existsSync(lock)) return false;
  const made = mkdtempSync(`${lock}-`);
  try {
    writeFileSync(join(made, 'pid'), String(process.pid));
    renameSync(made, lock);
    return true;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * True if the holder has died, or hasn't touched the lock for STALE_MS (its pid may have been
 * reused).
 */
function isAbandoned(lock) {
  const pid = join(lock, 'pid');
  try {
    if (Date.now() - statSync(pid).mtimeMs > STALE_MS) return true;
    process.kill(Number(readFileSync(pid, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * If several processes are waiting, only one may remove the lock: the one that creates the claim
 * file. That process first checks again that the lock is abandoned.
 */
function clearAway(lock) {
  const claim = join(lock, 'claim');
  try {
    writeFileSync(claim, '', { flag: 'wx' });
  } catch {
    return false;
  }
  const still = isAbandoned(lock);
  rmSync(still ? lock : claim, { recursive: true, force: true });
  return still;
}

function touchQuietly(lock) {
  try {
    const now = Date.now() / 1000;
    utimesSync(join(lock, 'pid'), now, now);
  } catch {
    // This process was suspended long enough for another one to take the lock. Continuing is
    // harmless.
  }
}
