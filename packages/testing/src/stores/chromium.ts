/**
 * Finds a Chromium for tests that need a real browser, or installs the distribution's if permitted.
 * KEYRAIL_TEST_CHROMIUM selects a different one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installFromDistribution } from './distribution.ts';

/**
 * Names of Chromium programs, in order of preference. The first is a headless build, which is about
 * twice as fast.
 */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
/**
 * The distribution's packages, in order of preference. Older distributions only have `chromium`.
 */
const PACKAGES = ['chromium-headless-shell', 'chromium'];

let found: { path: string } | { missing: string } | undefined;

/** The browser's path, or why it is missing. */
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
  let refusal: string | null = null;
  for (const name of PACKAGES) {
    refusal = installFromDistribution(name);
    const installed = installedPath();
    if (installed) return { path: installed };
  }
  return { missing: `no Chromium: ${refusal ?? 'none was installed'}` };
}

function installedPath(): string | undefined {
  const directories = (process.env.PATH ?? '').split(':');
  const candidates = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return candidates.find((each) => existsSync(each));
}
