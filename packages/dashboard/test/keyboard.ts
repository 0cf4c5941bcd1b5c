// Acts like a user who only has a keyboard, and checks that focus is never lost.
import { ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';

const TABS_MAX = 80;
/** How many frames to wait for focus, which is half a minute at 60 frames per second. */
const FRAMES_MAX = 1800;

/** The name that a screen reader would read for the focused element; empty if it has none. */
const NAME = `(() => {
  const on = document.activeElement;
  if (on === document.body) return '';
  const labels = [...(on.labels ?? [])].map((label) => label.textContent).join(' ');
  return (on.getAttribute('aria-label') ?? (labels || on.textContent)).trim() || on.tagName;
})()`;

export function keyboardOf(page: Page) {
  const name = (): Promise<string> => page.evaluate(NAME);
  const waitFor = async (isRight: (found: string) => boolean, says: string): Promise<void> => {
    let found = await name();
    for (let frames = 0; frames < FRAMES_MAX && !isRight(found); frames += 1) {
      await page.evaluate('new Promise(requestAnimationFrame)');
      found = await name();
    }
    ok(isRight(found), `focus is on "${found}" ${says}`);
  };
  return {
    type: (text: string) => page.keyboard.type(text),
    /** Presses keys, and fails if focus moves to the body. */
    press: async (...keys: string[]): Promise<void> => {
      for (const key of keys) {
        await page.keyboard.press(key);
        await waitFor((found) => found !== '', `after ${key}`);
      }
    },
    /** Presses Tab until the control with this name has focus. */
    tabTo: async (wanted: string | RegExp): Promise<void> => {
      const passed: string[] = [];
      while (passed.length < TABS_MAX && !matches(passed.at(-1) ?? '', wanted)) {
        await page.keyboard.press('Tab');
        passed.push(await name());
      }
      ok(matches(passed.at(-1) ?? '', wanted), `no ${wanted} in ${passed.join(' | ')}`);
    },
    /** Waits until the element with this name has focus. */
    at: (wanted: string | RegExp): Promise<void> =>
      waitFor((found) => matches(found, wanted), `and not on "${wanted}"`),
  };
}

const matches = (found: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? found === wanted : wanted.test(found);
