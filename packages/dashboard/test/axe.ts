// Checks the accessibility of a page with axe-core, in both themes and at several widths.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isFullRun, motion } from '@keyrail/testing/full-run.ts';
import type { Page } from 'playwright-core';

const NARROWEST = 320;
const HEIGHT = 900;

type View = { width: number; colorScheme: 'light' | 'dark' };

const everyView: readonly View[] = [390, 768, 1440].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

/**
 * Unless this is the full run, each page is checked in only one of these views. Consecutive pages
 * alternate between them.
 */
const alternating: readonly View[] = [
  { width: 390, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
];

let pagesChecked = 0;

function viewsOfNextPage(): readonly View[] {
  if (isFullRun) return everyView;
  const at = pagesChecked % alternating.length;
  pagesChecked += 1;
  return alternating.slice(at, at + 1);
}

let source: string | undefined;

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

/**
 * Loads axe-core through the debugger, because the content security policy would block a script
 * tag.
 */
async function loadAxe(page: Page): Promise<void> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
}

/**
 * Checks the topmost dialog, sheet or menu. Colours are checked in both themes, everything else in
 * one.
 */
export async function axeLayerFaults(page: Page): Promise<string[]> {
  await loadAxe(page);
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const rules = colorScheme === 'light' ? null : RULES_OF_COLOUR;
    const violations: Violation[] = await page.evaluate(runOf(rules));
    faults.push(...violations.flatMap((one) => linesOf(one, colorScheme)));
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: motion });
  return faults;
}

export async function axeFaults(page: Page): Promise<string[]> {
  await loadAxe(page);
  const faults: string[] = [];
  const before = page.viewportSize();
  for (const { width, colorScheme } of viewsOfNextPage()) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    faults.push(...(await sideways(page, width)));
    // The themes only differ in their colours, so the other rules run once for each width.
    const rules = isFullRun && colorScheme === 'dark' ? RULES_OF_COLOUR : null;
    const violations: Violation[] = await page.evaluate(runOf(rules));
    faults.push(...violations.flatMap((one) => linesOf(one, `${colorScheme} ${width}`)));
  }
  await page.setViewportSize({ width: NARROWEST, height: HEIGHT });
  faults.push(...(await sideways(page, NARROWEST)));
  await page.emulateMedia({ colorScheme: null, reducedMotion: motion });
  if (before) await page.setViewportSize(before);
  return faults;
}

/**
 * If a dialog is open, only the dialog or its menu is checked, because the page behind it is inert.
 */
const runOf = (
  rules: readonly string[] | null,
): string => `axe.run([...document.querySelectorAll('dialog[open], [data-popup]')]
  .filter((layer) => layer.checkVisibility()).at(-1) ?? document,
  { resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} ?? undefined }
).then((found) => found.violations)`;

const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

async function sideways(page: Page, width: number): Promise<string[]> {
  const over: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  return over > 0 ? [`${width}: the page scrolls sideways by ${over} px`] : [];
}

const linesOf = ({ id, nodes }: Violation, where: string): string[] =>
  nodes.map(
    ({ target, failureSummary = '' }) =>
      `${where}: ${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1, 3).join(' ')}`,
  );
