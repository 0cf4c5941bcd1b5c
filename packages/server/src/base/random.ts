// Random bytes are injected, so that tests can seed them.
import { randomFillSync } from 'node:crypto';

export type RandomBytes = (length: number) => Uint8Array;

const POOL_BYTES = 8192;

/**
 * Draws random bytes from the system in blocks of 8 KiB: one system call per ID would cost more
 * than the rest of creating it. No byte is returned twice, and returned bytes are erased from the
 * block.
 */
function pooledBytes(): RandomBytes {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (length) => {
    if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
    if (used + length > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  };
}

export const systemRandomBytes: RandomBytes = pooledBytes();

const SHARES = 2 ** 32;

/** A number from 0 up to, but not including, 1. */
export const randomShare = (randomBytes: RandomBytes): number =>
  Buffer.from(randomBytes(4)).readUInt32BE() / SHARES;
