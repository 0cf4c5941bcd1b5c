// Secrets for embedded mode, which needs no settings. They are generated once and stored in the
// data directory, where only their owner can read them.
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RandomBytes, systemRandomBytes } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { secrets } from './secrets.ts';
import { Fault, type Setting, type ValuesOf } from './setting.ts';

/**
 * Reads a secret, or creates it if there is none. Processes that start at the same time get the
 * same secret. A crash leaves no partial file, because the file is linked to its name only after it
 * has been flushed.
 */
export async function keptSecret(
  dataDir: string,
  name: string,
  make: () => string,
): Promise<Secret> {
  const path = join(dataDir, name);
  const text = (await readIfPresent(path)) ?? (await makeFile(dataDir, path, make()));
  if (!text)
    throw new Error(
      `${path} is empty. Delete it and the server will generate a new one on the next start.`,
    );
  return new Secret(text);
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    return null;
  }
}

/**
 * Returns the file's final content: this secret, or the secret of a process that linked its file
 * first.
 */
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
  return readIfPresent(path);
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

type SecretParts = {
  secrets: ValuesOf<typeof secrets>;
  store: { databaseUrl: Secret | null; dataDir: string };
};

/** A deployment's secrets, either from the settings or generated. */
export async function secretsOf({
  secrets: { bootstrapToken, masterKey },
  store: { databaseUrl, dataDir },
}: SecretParts): Promise<{ bootstrapToken: Secret | null; masterKey: Secret }> {
  return {
    // With PostgreSQL, a bootstrap token is never generated, so this is null if none is set.
    bootstrapToken:
      bootstrapToken ?? (databaseUrl ? null : await bootstrapTokenIn(dataDir, systemRandomBytes)),
    masterKey: masterKey ?? (await masterKeyIn(dataDir, systemRandomBytes)),
  };
}

export const bootstrapTokenIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSetting(dataDir, 'bootstrap-token', {
    setting: secrets.bootstrapToken,
    make: () => Buffer.from(randomBytes(32)).toString('base64url'),
  });

export const masterKeyIn = (dataDir: string, randomBytes: RandomBytes): Promise<Secret> =>
  keptSetting(dataDir, 'master-key', {
    setting: secrets.masterKey,
    make: () => Buffer.from(randomBytes(32)).toString('base64'),
  });

type Kept = { setting: Setting<Secret>; make(): string };

/** Validates the file like the setting it replaces, because it may be truncated or mistyped. */
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
