// Measures the dashboard in Chromium, with 10,000 keys and 100,000 audit rows: how long users wait,
// how long the page is blocked, and how much memory it retains.
import { setTimeout as sleep } from 'node:timers/promises';
import { withCleanup } from '../measure/cleanup.ts';
import { createFinding, type Show } from '../measure/finding.ts';
import { atMost, type Goal, higherIsBetter } from '../measure/goal.ts';
import type { Run } from '../measure/plan.ts';
import { openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { type Chromium, openChromium, type Tab } from './browser.ts';
import { ENVIRONMENTS, type Seeded, type Size, seed } from './seed.ts';

/**
 * How much data there is, how many times each measurement is repeated, and how far a user scrolls.
 */
type Extent = Size & { times: number; pages: number; walks: number };

const FULL: Extent = { keys: 10_000, auditRows: 100_000, times: 5, pages: 10, walks: 20 };
const BRIEF: Extent = { keys: 1500, auditRows: 2000, times: 2, pages: 3, walks: 4 };

const FIRST_ROWS_MS_MAX = 1000;
const TASK_MS_MAX = 200;
const FILTER_MS_MAX = 500;
const SCREEN_MS_MAX = 100;
const INPUT_MS_MAX = 50;
const MEMORY_RATIO_MAX = 1.1;

const PAGE_ROWS = 100;
/** Once all screens have been visited this many times, every screen is loaded and cached. */
const WARM_WALKS = 3;

const ROWS = `document.querySelectorAll('main [role=table] [role=row]').length - 1`;
const TO_END = 'scrollTo(0, document.documentElement.scrollHeight)';
const title = (text: string): string => `document.querySelector('h1')?.textContent === '${text}'`;

type Measured = { run: Run; chromium: Chromium; seeded: Seeded; size: Extent };

export async function measureDashboard(run: Run): Promise<void> {
  const size = run.plan.isBrief ? BRIEF : FULL;
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const seeded = await seed(server, store.url, size);
    const origin = `http://127.0.0.1:${server.port}`;
    const measured = {
      run,
      seeded,
      size,
      chromium: stopAtEnd(await openChromium(origin, seeded)),
    };
    await measureKeys(measured);
    await measureAudit(measured);
    await measureScreens(measured);
    await measureMemory(measured);
  });
}

async function measureKeys({ run, chromium, seeded, size }: Measured): Promise<void> {
  const path = `/w/${seeded.slug}/live/keys`;
  reportMs(
    run,
    { name: `first rows of ${size.keys} keys`, max: FIRST_ROWS_MS_MAX },
    await firstRows(chromium, path, size.times),
  );
  const tab = await chromium.openTab();
  await tab.page.goto(path);
  await settle(tab);
  const task = await tab.longestTask(() => scrollPages(tab, size.pages));
  reportMs(run, { name: `longest task, ${size.pages} pages of keys scrolled`, max: TASK_MS_MAX }, [
    task,
  ]);
  const search = tab.page.getByRole('searchbox');
  // Types without a locator, because a locator would first look up the field, which is slow among
  // thousands of elements.
  const { keyboard } = tab.page;
  const inputs: number[] = [];
  const filters: number[] = [];
  for (let time = 0; time < size.times; time += 1) {
    const name = `Key 00${1000 + time * ENVIRONMENTS}`;
    await search.focus();
    inputs.push(await tab.longestInput(() => keyboard.type(name.slice(0, -1))));
    filters.push(await elapsed(tab, () => keyboard.press(name.slice(-1)), onlyRow(name)));
    await search.fill('');
    await tab.when(`${ROWS} >= ${PAGE_ROWS}`);
    await scrollPages(tab, size.pages);
  }
  reportMs(run, { name: 'longest input while a filter is typed', max: INPUT_MS_MAX }, inputs);
  reportMs(run, { name: 'filter of keys to its result', max: FILTER_MS_MAX }, filters);
  const boxes: number[] = [];
  for (let time = 0; time < size.times; time += 1) {
    const box = tab.page.getByRole('checkbox').nth(time + 1);
    boxes.push(await tab.longestInput(() => box.click()));
  }
  reportMs(
    run,
    { name: `longest input while ${size.pages * PAGE_ROWS} rows are selected`, max: INPUT_MS_MAX },
    boxes,
  );
  await tab.stop();
}

const onlyRow = (name: string): string =>
  `${ROWS} === 1 && document.querySelector('main [data-card=name] a')?.textContent === '${name}'`;

async function measureAudit({ run, chromium, seeded, size }: Measured): Promise<void> {
  const path = `/w/${seeded.slug}/audit`;
  const name = `first rows of ${size.auditRows} audit rows`;
  reportMs(run, { name, max: FIRST_ROWS_MS_MAX }, await firstRows(chromium, path, size.times));
  const tab = await chromium.openTab();
  await tab.page.goto(path);
  await settle(tab);
  const task = await tab.longestTask(() => scrollPages(tab, size.pages));
  reportMs(
    run,
    { name: `longest task, ${size.pages} pages of audit rows scrolled`, max: TASK_MS_MAX },
    [task],
  );
  const action = tab.page.getByLabel('Action', { exact: true });
  const filters: number[] = [];
  for (let time = 0; time < size.times; time += 1) {
    const choose = async () => void (await action.selectOption('tenant.created'));
    filters.push(await elapsed(tab, choose, `${ROWS} < ${PAGE_ROWS} && ${ROWS} > 0`));
    await action.selectOption('');
    await tab.when(`${ROWS} >= ${PAGE_ROWS}`);
  }
  reportMs(run, { name: 'filter of audit rows to its result', max: FILTER_MS_MAX }, filters);
  const check = tab.page.getByRole('button', { name: 'Verify log' });
  const tookMs = await elapsed(
    tab,
    () => check.click(),
    `[...document.querySelectorAll('main section')].some((one) => one.textContent.includes('entries, intact'))`,
  );
  const perSecond = (size.auditRows * 1000) / tookMs;
  const show: Show = (value) => `${Math.round(value)} rows/s`;
  report(run, { name: 'chain verification in the page', show, goal: higherIsBetter }, [perSecond]);
  await tab.stop();
}

/**
 * Measures switching to a screen that has been shown before, from the click until its rows appear.
 */
async function measureScreens({ run, chromium, seeded, size }: Measured): Promise<void> {
  const tab = await chromium.openTab();
  const names = ['Keys', 'Tenants', 'Audit log', 'Projects', 'Members', 'Nodes', 'Overview'];
  await tab.page.goto(`/w/${seeded.slug}/live/keys`);
  const values: number[] = [];
  const links = tab.page.getByRole('navigation').first();
  for (let walk = 0; walk <= size.times; walk += 1) {
    for (const name of names) {
      const link = links.getByRole('link', { name, exact: true });
      const rows = ['Keys', 'Audit log'].includes(name) ? ` && ${ROWS} >= ${PAGE_ROWS}` : '';
      await link.hover();
      const tookMs = await elapsed(tab, () => link.click(), `${title(name)}${rows}`);
      // The first visit to each screen loads it, so the time isn't counted.
      if (walk > 0) values.push(tookMs);
      await tab.page.waitForLoadState('networkidle');
    }
  }
  reportMs(run, { name: 'between loaded screens', max: SCREEN_MS_MAX }, values);
  await tab.stop();
}

async function measureMemory({ run, chromium, seeded, size }: Measured): Promise<void> {
  const tab = await chromium.openTab();
  const { slug, keyId, tenantId } = seeded;
  const inEnv = ['overview', 'keys', 'tenants', 'projects', 'nodes', 'usage', 'explain'];
  const more = ['secret-keys', 'keys/new', `keys/${keyId}`, `tenants/${tenantId}`];
  const ofBoth = ['embed', 'members', 'audit', 'audit/5', 'settings', 'start'];
  const paths = [...[...inEnv, ...more].map((path) => `live/${path}`), ...ofBoth];
  await tab.page.goto(`/w/${slug}/live/overview`);
  const heaps: number[] = [];
  for (let walk = 0; walk < size.walks; walk += 1) {
    for (const path of paths) await walkTo(tab, `/w/${slug}/${path}`);
    heaps.push(await tab.heapBytes());
    console.log(`  walk ${walk + 1}: ${showMegabytes(heaps[walk] ?? 0)}`);
  }
  const [before = 0] = heaps.slice(WARM_WALKS - 1);
  const show: Show = (value) => value.toFixed(2);
  const goal = atMost(MEMORY_RATIO_MAX);
  const name = `memory after ${size.walks} walks, beside ${WARM_WALKS}`;
  report(run, { name, show, goal }, [(heaps.at(-1) ?? 0) / before]);
  await tab.stop();
}

const showMegabytes: Show = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Opens a screen the way a link does, without loading a new document. */
async function walkTo(tab: Tab, path: string): Promise<void> {
  await tab.page.evaluate(`(() => {
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(path)} });
    history.pushState({}, '', link.href);
    dispatchEvent(new PopStateEvent('popstate'));
  })()`);
  const isThere = `location.pathname === ${JSON.stringify(path)}`;
  const isDone = `document.querySelector('h1') && !document.querySelector('[aria-busy=true]')`;
  await tab.when(`${isThere} && ${isDone}`);
  await tab.page.waitForLoadState('networkidle');
}

/**
 * Measures the time from the start of a visit until rows appear. Each visit has a new browser
 * context.
 */
async function firstRows(chromium: Chromium, path: string, times: number): Promise<number[]> {
  const values: number[] = [];
  // The first visit only warms up the server.
  for (let time = 0; time <= times; time += 1) {
    const tab = await chromium.openTab();
    await tab.page.goto(path, { waitUntil: 'commit' });
    const shownMs = await tab.when(`${ROWS} > 0`);
    if (time > 0) values.push(shownMs);
    await tab.stop();
  }
  return values;
}

/**
 * Waits until the first page of rows and the names shown in them are loaded, so that loading
 * doesn't affect later measurements.
 */
async function settle(tab: Tab): Promise<void> {
  await tab.when(`${ROWS} >= ${PAGE_ROWS}`);
  await tab.page.waitForLoadState('networkidle');
}

async function scrollPages(tab: Tab, pages: number): Promise<void> {
  for (let page = 1; page <= pages; page += 1) {
    // Scrolls to the end of the list on every animation frame, as a user with a mouse wheel would.
    await tab.when(`(${TO_END}, ${ROWS} >= ${page * PAGE_ROWS})`);
    await sleep(SETTLE_MS);
  }
}

/** Users look at a page for a moment before they open the next one. */
const SETTLE_MS = 100;

async function elapsed(tab: Tab, act: () => Promise<void>, condition: string): Promise<number> {
  const beganAt = Number(await tab.page.evaluate('performance.now()'));
  const shownAt = tab.when(condition);
  await act();
  return (await shownAt) - beganAt;
}

type Described = { name: string; show: Show; goal: Goal };

const report = ({ report: give }: Run, described: Described, values: readonly number[]): void =>
  give(createFinding({ ...described, name: `dashboard: ${described.name}`, values }));

const showWholeMs: Show = (ms) => `${ms.toFixed(0)} ms`;

const reportMs = (run: Run, within: { name: string; max: number }, values: number[]): void =>
  report(run, { name: within.name, show: showWholeMs, goal: atMost(within.max) }, values);
