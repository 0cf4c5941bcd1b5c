// A file next to the cache that contains the feed's public keys. With it, a node that starts
// without the control plane can verify the cache. The file is encrypted like the cache.
import { join } from 'node:path';
import type { KeptKeys } from '../proof/feed-keys.ts';
import { type CacheNaming, KEYS_END, makeDirectory, namesOf } from './directory.ts';
import { readSealed, syncPath, writeSealed } from './sealed-file.ts';

/** The newest list replaces all others, so it needs no version. */
const VERSION = 0;

export function openKeptKeys(naming: CacheNaming, dir: string): KeptKeys {
  const { secretKey } = naming;
  const path = join(dir, namesOf(naming).own + KEYS_END);
  return {
    async read() {
      try {
        const { plain } = await readSealed(path, secretKey);
        return JSON.parse(plain.toString('utf8'));
      } catch {
        return null;
      }
    },
    async write(jwks) {
      const pieces = [Buffer.from(JSON.stringify(jwks))];
      const contents = { secretKey, version: VERSION, pieces, isSynced: true };
      // If this fails, the node just needs the control plane the next time it starts.
      await makeDirectory(dir)
        .then(() => writeSealed(path, contents))
        .then(() => syncPath(dir))
        .catch(() => {});
    },
  };
}
