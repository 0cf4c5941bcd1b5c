// Chance as a part that is handed in, so that a test can seed it.
import { randomFillSync } from 'node:crypto';

export type RandomBytes = (length: number) => Uint8Array;

const POOL_BYTES = 8192;

/**
 * The system's chance, drawn a few thousand bytes at a time: asking it for each id costs more than
 * all the rest of making one. No byte is handed out twice, nor kept once it has been.
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
