// Embedded mode needs no settings: what is secret is made once and kept in the data directory,
// readable by its owner alone.
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RandomBytes } from './base/random.ts';
import { Secret } from './base/secret.ts';
import { Fault, type Setting } from './settings/setting.ts';
import { bootstrapToken, masterKey } from './settings.ts';

/**
 * Reads a secret, or makes it. Two that start at once end up with the same one, and a crash leaves
 * either none or a whole one: it gets its name only when it is on disk.
 */
export async function keptSecret(
  dataDir: string,
  name: string,
  make: () => string,
): Promise<Secret> {
  const path = join(dataDir, name);
  const text = (await readIfThere(path)) ?? (await makeFile(dataDir, path, make()));
  if (!text) throw new Error(`${path} is empty: remove it to have a new one made.`);
  return new Secret(text);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    return null;
  }
}

/** Returns what the file holds in the end: ours, or that of whoever was faster. */
async function makeFile(dataDir: string, path: string, text: string): Promise<string | null> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const part = `${path}.${crypto.randomUUID()}`;
  try {
    await writeFile(part, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(part, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(part, { force: true });
  }
  return readIfThere(path);
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

export const bootstrapTokenIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSetting(dataDir, 'bootstrap-token', {
    setting: bootstrapToken,
    make: () => Buffer.from(randomBytes(32)).toString('base64url'),
  });

export const masterKeyIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSetting(dataDir, 'master-key', {
    setting: masterKey,
    make: () => Buffer.from(randomBytes(32)).toString('base64'),
  });

type Kept = { setting: Setting<Secret>; make(): string };

/** A file that was cut off or mistyped is as wrong as the setting in whose place it stands. */
async function keptSetting(
  dataDir: string,
  name: string,
  { setting, make }: Kept,
): Promise<Secret> {
  const secret = await keptSecret(dataDir, name, make);
  try {
    return setting.parse(secret.reveal());
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Error(`${join(dataDir, name)} ${error.message}`);
  }
}
