// The profile file, which contains each deployment's URL and credential. Because of the
// credentials, only its owner may read it. The file is always replaced as a whole, so it is never
// left half-written.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROFILE_DEFAULT, usage } from '../failures.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type Profile = {
  url: string;
  token: string;
  kind: 'session' | 'secret_key';
  /** The session's user, to tell profiles apart. */
  email?: string;
};

export type ProfileFile = { current: string; profiles: Readonly<Record<string, Profile>> };

const NAME = /^[\w.-]{1,64}$/;
const EMPTY: ProfileFile = { current: PROFILE_DEFAULT, profiles: {} };

export function profilePath({ env, home }: Terminal): string {
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  return join(config, 'keyrail', 'profiles.json');
}

export function checkProfileName(name: string): string {
  if (NAME.test(name) && name !== '__proto__') return name;
  throw usage('Profile names must be 1 to 64 letters, digits, dots, hyphens or underscores.');
}

export async function loadProfiles(path: string): Promise<ProfileFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw usage(`Can't read ${path}: ${error instanceof Error ? error.message : error}`);
  });
  if (text === null) return EMPTY;
  await refuseOpenMode(path);
  return parseFile(path, text);
}

/**
 * Writes a new file and then renames it, so that a crash leaves either the old file or the new one.
 */
export async function saveProfiles(path: string, file: ProfileFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${randomUUID()}`;
  try {
    const opened = await open(part, 'wx', 0o600);
    try {
      await opened.writeFile(`${JSON.stringify(file, null, 2)}\n`);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Adds or replaces a profile. It becomes the current profile if there is none yet. */
export const withProfile = (file: ProfileFile, name: string, profile: Profile): ProfileFile => ({
  current: Object.hasOwn(file.profiles, file.current) ? file.current : name,
  profiles: { ...file.profiles, [name]: profile },
});

export function withoutProfile(file: ProfileFile, name: string): ProfileFile {
  const { [name]: _gone, ...profiles } = file.profiles;
  const [next = PROFILE_DEFAULT] = Object.keys(profiles);
  return { current: file.current === name ? next : file.current, profiles };
}

/**
 * Rejects a profile file that other users can read. Not checked on Windows, which has no mode bits.
 */
async function refuseOpenMode(path: string): Promise<void> {
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0 || process.platform === 'win32') return;
  throw usage(
    `${path} contains credentials, but other users can read it (mode ${mode.toString(8)}).`,
    `Protect it with: chmod 600 ${path}`,
  );
}

function parseFile(path: string, text: string): ProfileFile {
  const parsed = jsonOrNull(text);
  if (typeof parsed === 'object' && parsed !== null && 'profiles' in parsed) {
    const { profiles } = parsed;
    const entries = Object.entries(typeof profiles === 'object' && profiles ? profiles : {});
    const current = 'current' in parsed ? parsed.current : null;
    return {
      current: typeof current === 'string' ? current : PROFILE_DEFAULT,
      profiles: Object.fromEntries(entries.filter(isEntry)),
    };
  }
  throw usage(`${path} is damaged.`, 'Remove it and log in again.');
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isEntry = (entry: [string, unknown]): entry is [string, Profile] => {
  const [name, value] = entry;
  if (!NAME.test(name) || typeof value !== 'object' || value === null) return false;
  const [url, token, kind] = ['url', 'token', 'kind'].map((field) => Reflect.get(value, field));
  return (
    typeof url === 'string' &&
    typeof token === 'string' &&
    (kind === 'session' || kind === 'secret_key')
  );
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
