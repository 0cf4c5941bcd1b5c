// A signed-in Chromium tab, and the measurements taken inside it.
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import type { Stoppable } from '../measure/cleanup.ts';
import type { Seeded } from './seed.ts';

const WAIT_MS_MAX = 60_000;

export type Tab = Stoppable & {
  page: Page;
  /** Waits until a condition holds on the page, and returns the page's own time at that moment. */
  when(condition: string): Promise<number>;
  /** Returns the length of the longest task on the page while some work runs, in milliseconds. */
  longestTask(work: () => Promise<void>): Promise<number>;
  /** Returns the longest time from an input until its handler has finished, in milliseconds. */
  longestInput(work: () => Promise<void>): Promise<number>;
  /** Returns the total size of objects and elements in bytes, after a garbage collection. */
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
    // The browser delivers performance entries only after the frame they describe.
    await page.evaluate(FRAMES);
    return Number(await page.evaluate(`measured.${name}`));
  };
  return {
    page,
    when: async (condition) => Number(await page.evaluate(onceTrue(condition))),
    longestTask: (work) => during('task', work),
    longestInput: (work) => during('input', work),
    heapBytes: async () => bytesOf(await heapSnapshot(debug)),
    stop: () => page.context().close(),
  };
}

async function heapSnapshot(debug: CDPSession): Promise<Snapshot> {
  const chunks: string[] = [];
  const keep = ({ chunk }: { chunk: string }): void => void chunks.push(chunk);
  debug.on('HeapProfiler.addHeapSnapshotChunk', keep);
  await debug.send('HeapProfiler.collectGarbage');
  await debug.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  debug.off('HeapProfiler.addHeapSnapshotChunk', keep);
  return JSON.parse(chunks.join(''));
}

/** A heap snapshot from the browser: each node is a run of numbers, described by `node_fields`. */
type Snapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
};

/** Leaves out compiled code, which keeps growing for minutes while V8 optimises functions. */
function bytesOf({ snapshot, nodes }: Snapshot): number {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const code = types[0].indexOf('code');
  const type = fields.indexOf('type');
  const size = fields.indexOf('self_size');
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (nodes[at + type] !== code) bytes += nodes[at + size] ?? 0;
  }
  return bytes;
}

// The following scripts run in the page.

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
    else if (now > endsAt) reject(new Error(${JSON.stringify(`never true: ${condition}`)}));
    else requestAnimationFrame(look);
  };
  look();
})`;
