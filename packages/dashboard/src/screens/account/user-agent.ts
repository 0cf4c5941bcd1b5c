// Describes a browser and its operating system, based on the user agent it sent at sign-in.
import { texts } from './texts.ts';

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const PROGRAM_CHARS_MAX = 60;

const first = (pairs: typeof browsers, text: string): string | null =>
  pairs.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/**
 * For browsers, text such as "Firefox on Windows". For other clients, the first word of the user
 * agent.
 */
export function programName(userAgent: string | null): string {
  if (!userAgent) return texts.sessions.unknown;
  const browser = first(browsers, userAgent);
  const system = first(systems, userAgent);
  if (browser !== null) return system === null ? browser : texts.sessions.on(browser, system);
  return userAgent.split(' ', 1)[0]?.slice(0, PROGRAM_CHARS_MAX) ?? texts.sessions.unknown;
}
