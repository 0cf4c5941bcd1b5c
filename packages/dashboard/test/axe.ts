// Accessibility of a page as it stands, by axe-core, in both themes and at three widths.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const WIDTHS = [390, 768, 1440];
const NARROWEST = 320;
const HEIGHT = 900;

let source: string | undefined;

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

export async function axeFaults(page: Page): Promise<string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Evaluated by the browser's debugger, which the policy of the page does not hinder.
  await page.evaluate(source);
  const faults: string[] = [];
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    faults.push(...(await sideways(page, width)));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const violations: Violation[] = await page.evaluate(RUN);
      faults.push(...violations.flatMap((one) => linesOf(one, `${colorScheme} ${width}`)));
    }
  }
  await page.setViewportSize({ width: NARROWEST, height: HEIGHT });
  faults.push(...(await sideways(page, NARROWEST)));
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
  return faults;
}

/** Behind an open dialog the page is inert, so the dialog alone is examined. */
const RUN = `axe.run([...document.querySelectorAll('dialog[open]')].at(-1) ?? document,
  { resultTypes: ['violations'] }).then((found) => found.violations)`;

async function sideways(page: Page, width: number): Promise<string[]> {
  const over: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  return over > 0 ? [`${width}: the page scrolls sideways by ${over} px`] : [];
}

const linesOf = ({ id, nodes }: Violation, where: string): string[] =>
  nodes.map(
    ({ target, failureSummary = '' }) =>
      `${where}: ${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1, 3).join(' ')}`,
  );
