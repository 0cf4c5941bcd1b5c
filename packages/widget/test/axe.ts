// Checks the page's accessibility with axe-core in both themes.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { motion } from '@keyrail/testing/full-run.ts';
import type { Page } from 'playwright-core';

let source: string | undefined;

const RULES_OF_COLOUR = ['color-contrast'];

type Violation = { id: string; nodes: { target: unknown; failureSummary?: string }[] };

/** The themes only differ in their colours, so the other rules run once. */
export async function axe(page: Page): Promise<void> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Loaded through the debugger, because the content security policy would block a script tag.
  await page.evaluate(source);
  // Skips the dialog's opening animation, because colours have less contrast until it has finished.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const faults: string[] = [];
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      for (const one of document.querySelectorAll('keyrail-keys')) one.setAttribute('theme', name);
    }, theme);
    const rules = theme === 'light' ? 'undefined' : JSON.stringify(RULES_OF_COLOUR);
    const found: Violation[] = await page.evaluate(
      `axe.run('keyrail-keys', { resultTypes: ['violations'], runOnly: ${rules} })
        .then(({ violations }) => violations)`,
    );
    for (const { id, nodes } of found) {
      for (const { target, failureSummary } of nodes) {
        faults.push(`${theme}: ${id}: ${JSON.stringify(target)}: ${failureSummary}`);
      }
    }
  }
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('keyrail-keys')) one.removeAttribute('theme');
  });
  await page.emulateMedia({ reducedMotion: motion });
  deepEqual(faults, []);
}
