/**
 * Finds a Chromium for tests that need a real browser, or installs the distribution's if permitted.
 * KEYRAIL_TEST_CHROMIUM names another.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installFromDistribution } from './distribution.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

let found: { path: string } | { missing: string } | undefined;

/** The path of the program, or the reason why it is missing. */
export function findChromium(): { path: string } | { missing: string } {
  found ??= lookForChromium();
  return found;
}

function lookForChromium(): { path: string } | { missing: string } {
  const chosen = process.env.KEYRAIL_TEST_CHROMIUM;
  if (chosen !== undefined) {
    return existsSync(chosen)
      ? { path: chosen }
      : { missing: `no Chromium: KEYRAIL_TEST_CHROMIUM names ${chosen}, which does not exist` };
  }
  const present = installedPath();
  if (present) return { path: present };
  const refusal = installFromDistribution('chromium');
  const installed = installedPath();
  return installed
    ? { path: installed }
    : { missing: `no Chromium: ${refusal ?? 'none was installed'}` };
}

function installedPath(): string | undefined {
  const directories = (process.env.PATH ?? '').split(':');
  const candidates = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  return candidates.find((each) => existsSync(each));
}
