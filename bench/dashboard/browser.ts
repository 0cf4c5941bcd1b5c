// A tab of Chromium that is signed in, and what is measured inside of it.
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { chromium, type Page } from 'playwright-core';
import type { Stoppable } from '../measure/cleanup.ts';
import type { Seeded } from './seed.ts';

const WAIT_MS_MAX = 60_000;

export type Tab = Stoppable & {
  page: Page;
  /** Waits until a condition holds in the page, and returns the time of the page. */
  when(condition: string): Promise<number>;
  /** The longest task of the page during some work, in milliseconds. */
  longestTask(work: () => Promise<void>): Promise<number>;
  /** The longest time from an input to the end of its handling, in milliseconds. */
  longestInput(work: () => Promise<void>): Promise<number>;
  /** Bytes of the heap after a collection. */
  heapBytes(): Promise<number>;
};

export type Chromium = Stoppable & { openTab(): Promise<Tab> };

export async function openChromium(origin: string, { session }: Seeded): Promise<Chromium> {
  const found = findChromium();
  if ('missing' in found) throw new Error(found.missing);
  const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
  const openTab = async (): Promise<Tab> => {
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ baseURL: origin, viewport });
    context.setDefaultTimeout(WAIT_MS_MAX);
    await context.addInitScript(
      `sessionStorage.setItem('keyrail.session', ${JSON.stringify(JSON.stringify(session))});
       ${OBSERVERS}`,
    );
    return tabOf(await context.newPage());
  };
  return { openTab, stop: () => browser.close() };
}

async function tabOf(page: Page): Promise<Tab> {
  const debug = await page.context().newCDPSession(page);
  const during = async (name: string, work: () => Promise<void>): Promise<number> => {
    await page.evaluate(`measured.${name} = 0`);
    await work();
    // Entries are delivered after the frame that they are about.
    await page.evaluate(FRAMES);
    return Number(await page.evaluate(`measured.${name}`));
  };
  return {
    page,
    when: async (condition) => Number(await page.evaluate(onceTrue(condition))),
    longestTask: (work) => during('task', work),
    longestInput: (work) => during('input', work),
    heapBytes: async () => {
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize } = await debug.send('Runtime.getHeapUsage');
      return usedSize;
    },
    stop: () => page.context().close(),
  };
}

// The following texts run in the page.

const OBSERVERS = `
  globalThis.measured = { task: 0, input: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      measured.task = Math.max(measured.task, duration);
    }
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const { startTime, processingEnd } of list.getEntries()) {
      measured.input = Math.max(measured.input, processingEnd - startTime);
    }
  }).observe({ type: 'event', durationThreshold: 16 });`;

const FRAMES = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50))))`;

const onceTrue = (condition: string): string => `new Promise((resolve, reject) => {
  const endsAt = performance.now() + ${WAIT_MS_MAX};
  const look = () => {
    const now = performance.now();
    if (${condition}) resolve(now);
    else if (now > endsAt) reject(new Error(${JSON.stringify(`waited in vain: ${condition}`)}));
    else requestAnimationFrame(look);
  };
  look();
})`;
