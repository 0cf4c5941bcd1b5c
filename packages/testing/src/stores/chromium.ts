// Finds a Chromium on this machine, for tests that need a real browser. KEYRAIL_TEST_CHROMIUM
// names another.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of the program, or the reason why it is missing. */
export function findChromium(): { path: string } | { missing: string } {
  const chosen = process.env.KEYRAIL_TEST_CHROMIUM;
  const directories = (process.env.PATH ?? '').split(':');
  const candidates = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  const path = (chosen ? [chosen] : candidates).find((each) => existsSync(each));
  return path
    ? { path }
    : { missing: 'no Chromium: install the distribution’s, or set KEYRAIL_TEST_CHROMIUM' };
}
