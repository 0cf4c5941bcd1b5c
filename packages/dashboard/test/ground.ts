// Setup for browser tests: the real server with this process's store, one Chromium for all tests,
// and a browser context for each test. Unexpected console errors and warnings make a test fail.
import { deepEqual } from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import { motion } from '@keyrail/testing/full-run.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { axeFaults } from './axe.ts';

export type Role = 'owner' | 'admin' | 'member';

/** The test harness for a new workspace, and the workspace's slug. */
export type Vendor = Harness & { slug: string };

type Visit = (path: string) => Promise<void>;

type Opened = { page: Page; context: BrowserContext; visit: Visit };

export type SignedIn = Opened & { vendor: Vendor };

export type Ground = {
  origin: string;
  /**
   * Opens a page as a signed-in member of the given workspace or, without one, of a new workspace.
   */
  signIn(options?: { role?: Role; vendor?: Vendor; origin?: string }): Promise<SignedIn>;
  /** Opens a page as a visitor who isn't signed in. The origin defaults to the server's. */
  visitor(options?: { origin?: string }): Promise<Opened>;
  /** Allows the console messages that Chromium writes about responses with these statuses. */
  expects(...statuses: number[]): void;
  /** Allows console errors that match one of these patterns. */
  expectsErrors(...texts: RegExp[]): void;
  /**
   * Asserts that the page has no axe violations and doesn't scroll sideways. The full run checks both
   * themes at three widths.
   */
  axe(page: Page): Promise<void>;
};

/** Long enough for a busy machine, but short enough for the report to show the line that failed. */
const WAIT_MS_MAX = 60_000;

/** A host name other than localhost, so pages over plain HTTP aren't in a secure context. */
export const PLAIN_HOST = 'keys.internal';

type Shared = { browser: Browser; origin: string; close(): Promise<void> };

let shared: Promise<Shared> | undefined;

after(async () => {
  await (await shared)?.close();
});

async function openShared(executablePath: string): Promise<Shared> {
  // A separate app with the same store, because other tests in this process may use the first app.
  const { http, prepare } = (await testApp()).variant({});
  await prepare(); // creates the keys that sign receipts and tokens
  const origin = await http.listen({ host: '127.0.0.1', port: 0 });
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`];
  const browser = await chromium.launch({ executablePath, args });
  const close = async () => {
    await browser.close();
    await http.close();
  };
  return { browser, origin, close };
}

/** Returns null if there is no Chromium, in which case the test is skipped. */
export async function openGround(t: TestContext): Promise<Ground | null> {
  const found = findChromium();
  if ('missing' in found) {
    t.skip(found.missing);
    return null;
  }
  shared ??= openShared(found.path);
  const { browser, origin } = await shared;
  const watch = createWatch();
  const contexts: BrowserContext[] = [];
  t.after(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    deepEqual(watch.faults, [], 'the console and the network stayed clean');
  });
  const open = async ({ origin: baseURL = origin } = {}) => {
    const context = await browser.newContext({
      baseURL,
      viewport: { width: 1440, height: 900 },
      reducedMotion: motion,
    });
    contexts.push(context);
    context.setDefaultTimeout(WAIT_MS_MAX);
    context.on('page', (page) => watch.page(page, baseURL));
    await context.addInitScript(reportViolations);
    const page = await context.newPage();
    const visit: Visit = async (path) => void (await page.goto(path));
    return { context, page, visit };
  };
  return {
    origin,
    visitor: open,
    signIn: async ({ role = 'owner', vendor, origin: of = origin } = {}) => {
      const given = vendor ?? (await openVendor(t));
      const { token, userId, email } = await given.people[role]();
      const opened = await open({ origin: of });
      await opened.page.addInitScript(seedSession, JSON.stringify({ token, userId, email }));
      return { ...opened, vendor: given };
    },
    expects: watch.expects,
    expectsErrors: watch.expectsErrors,
    axe: async (page) => deepEqual(await axeFaults(page), []),
  };
}

export async function openVendor(t: TestContext): Promise<Vendor> {
  const vendor = await harness(t);
  const { slug } = await vendor.as.liveKey('GET /v1/workspace');
  return { ...vendor, slug };
}

// The next two scripts run inside the page.

/** Stores the session only once per tab, so that the page can change its session later. */
function seedSession(session: string): void {
  if (sessionStorage.getItem('seeded') === null) {
    sessionStorage.setItem('seeded', 'yes');
    sessionStorage.setItem('keyrail.session', session);
  }
}

function reportViolations(): void {
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    console.error(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
  });
}

const NOTICE = /^Failed to load resource: the server responded with a status of (\d+)/;

/** Collects unexpected messages and requests. If there are any, the test fails when it finishes. */
function createWatch() {
  const faults: string[] = [];
  const allowed = new Set<number>();
  const allowedTexts: RegExp[] = [];
  return {
    faults,
    expectsErrors: (...texts: RegExp[]) => void allowedTexts.push(...texts),
    expects: (...statuses: number[]) => {
      for (const status of statuses) allowed.add(status);
    },
    page: (page: Page, origin: string) => {
      page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`));
      page.on('console', (message) => {
        if (!['error', 'warning'].includes(message.type())) return;
        if (allowedTexts.some((text) => text.test(message.text()))) return;
        const status = Number(NOTICE.exec(message.text())?.[1]);
        if (!allowed.has(status)) faults.push(`${message.type()}: ${message.text()}`);
      });
      page.on('request', (request) => {
        const { protocol, origin: to } = new URL(request.url());
        const isWeb = protocol.startsWith('http') || protocol.startsWith('ws');
        if (isWeb && to !== origin) faults.push(`request to ${to}`);
      });
      page.on('response', (response) => {
        const status = response.status();
        if (status >= 500 && !allowed.has(status)) faults.push(`${status}: ${response.url()}`);
      });
    },
  };
}
