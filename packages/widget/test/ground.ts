// Setup for the widget's browser tests: the real server, and a vendor's site on a different origin,
// with the strictest content security policy that allows the script. All tests in a process share
// one browser. Unexpected console errors and warnings make a test fail.
import { deepEqual } from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, type TestContext } from 'node:test';
import { motion } from '@keyrail/testing/full-run.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/**
 * The time limit for each wait. It suits a busy machine, but is short enough for the report to show
 * the line that failed.
 */
const WAIT_MS_MAX = 60_000;

type Shared = { browser: Browser; api: string; close(): Promise<void> };

let shared: Promise<Shared> | undefined;

after(async () => {
  await (await shared)?.close();
});

async function openShared(executablePath: string): Promise<Shared> {
  const { http } = (await testApp()).variant({});
  const api = await http.listen({ host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const close = async () => {
    await browser.close();
    await http.close();
  };
  return { browser, api, close };
}

type Surroundings = {
  /**
   * Whether the page loads the script from the server. Otherwise, the test injects its own build of
   * the package.
   */
  hasScript: boolean;
  /** The page's content security policy. */
  policy: string;
};

type TokenAnswer = { status: number; body: object };

export type Site = {
  api: string;
  origin: string;
  page: Page;
  context: BrowserContext;
  vendor: Harness;
  projectId: string;
  tenantId: string;
  /** How many times the page has requested a token so far. */
  asked(): number;
  /**
   * Sets the body of the vendor's page. Everything else on the page is as in docs/embed.md, unless
   * `more` overrides it.
   */
  serve(body: string, more?: Partial<Surroundings>): void;
  /**
   * Sets how the vendor's backend responds to token requests. With null, it returns normal tokens
   * again.
   */
  answer(with_: (() => Promise<TokenAnswer>) | null): void;
  /** Creates a token, as the vendor's backend does. */
  mint(more?: object): Promise<TokenAnswer>;
  open(): Promise<void>;
  /** Allows console messages that match one of these patterns. */
  expects(...notices: RegExp[]): void;
  /** The element's events so far, by name and with their details. */
  events(): Promise<[name: string, detail: Record<string, unknown>][]>;
};

const ELEMENT = '<keyrail-keys token-url="/token"></keyrail-keys>';

/** Returns null if there is no Chromium, in which case the test is skipped. */
export async function openSite(t: TestContext): Promise<Site | null> {
  const found = findChromium();
  if ('missing' in found) {
    t.skip(found.missing);
    return null;
  }
  shared ??= openShared(found.path);
  const { browser, api } = await shared;
  const vendor = await harness(t);
  const [project, tenant] = await Promise.all([vendor.given.project(), vendor.given.tenant()]);
  const mint: Site['mint'] = async (more = {}) => ({
    status: 200,
    body: await vendor.as.liveKey('POST /v1/embed_tokens', {
      project_id: project.id,
      tenant_id: tenant.id,
      env: 'live',
      scopes: ['keys:read', 'keys:write', 'key_scope:invoices:read', 'key_scope:invoices:write'],
      ...more,
    }),
  });
  const around = { hasScript: true, policy: strictPolicy(api) };
  const state = { body: ELEMENT, asked: 0, answer: mint, ...around };
  const { server, origin } = await openServer(api, state);
  t.after(() => server.close());
  await vendor.as.liveKey('PATCH /v1/workspace', { embed_origins: [origin] });
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1000, height: 800 },
    reducedMotion: motion,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  await context.addInitScript(record);
  const page = await context.newPage();
  const watch = createWatch(page, [origin, api]);
  t.after(async () => {
    await context.close();
    deepEqual(watch.faults, [], 'the console and the network stayed clean');
  });
  return {
    api,
    origin,
    page,
    context,
    vendor,
    mint,
    projectId: project.id,
    tenantId: tenant.id,
    asked: () => state.asked,
    serve: (body, more = {}) => {
      Object.assign(state, { body }, around, more);
    },
    answer: (with_) => {
      state.answer = with_ ?? mint;
    },
    open: async () => void (await page.goto('/')),
    expects: watch.expects,
    events: () => page.evaluate('window.recorded'),
  };
}

type Served = Surroundings & { body: string; asked: number; answer(): Promise<TokenAnswer> };

const strictPolicy = (api: string): string =>
  `default-src 'none'; script-src ${api}; connect-src 'self' ${api}; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'";

type Opened = { server: Server; origin: string };

async function openServer(api: string, served: Served): Promise<Opened> {
  const server = createServer(async (request, response) => {
    if (request.url === '/token' && request.method === 'POST') {
      served.asked += 1;
      const { status, body } = await served.answer();
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(body));
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', served.policy);
    const tag = `<script type="module" src="${api}/widget.js"></script>`;
    const script = served.hasScript ? tag : '';
    response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Keys</title>
      ${script}<body><main><h1>Account</h1>${served.body}</main></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, origin: `http://127.0.0.1:${port}` };
}

/**
 * Records the first element's events, and violations of the content security policy. Runs inside
 * the page.
 */
function record(): void {
  const recorded: unknown[] = [];
  Reflect.set(window, 'recorded', recorded);
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    console.error(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
  });
  addEventListener('DOMContentLoaded', () => {
    const element = document.querySelector('keyrail-keys');
    for (const name of ['ready', 'created', 'rotated', 'revoked', 'error', 'token-expired']) {
      element?.addEventListener(name, (event) => {
        recorded.push([name, Reflect.get(event, 'detail')]);
      });
      document.addEventListener(name, () => recorded.push([`${name} bubbled`, {}]));
    }
  });
}

function createWatch(page: Page, origins: readonly string[]) {
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (allowed.some((pattern) => pattern.test(message.text()))) return;
    faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && !origins.includes(origin)) faults.push(`request: ${origin}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 500 && response.url().startsWith(origins[1] ?? '')) faults.push(`${status}`);
  });
  return { faults, expects: (...patterns: RegExp[]) => void allowed.push(...patterns) };
}
