// Embedded mode needs no settings: what is secret is made once and kept in the data directory,
// readable by its owner alone.
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RandomBytes } from './base/random.ts';
import { Secret } from './base/secret.ts';

/** Reads a secret, or makes it. Two processes that start at once end up with the same one. */
export async function keptSecret(
  dataDir: string,
  name: string,
  make: () => string,
): Promise<Secret> {
  const path = join(dataDir, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const text = make();
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return new Secret(text);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return new Secret((await readFile(path, 'utf8')).trim());
  }
}

export const bootstrapTokenIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSecret(dataDir, 'bootstrap-token', () => Buffer.from(randomBytes(32)).toString('base64url'));

export const masterKeyIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSecret(dataDir, 'master-key', () => Buffer.from(randomBytes(32)).toString('base64'));
