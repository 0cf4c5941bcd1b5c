// The React component: server rendering, strict mode, props, events and a ref.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundled } from '../test/bundled.ts';
import { openSite } from '../test/ground.ts';

const root = join(import.meta.dirname, '../../..');

test('a server renders the component as an empty element', async (t) => {
  const folder = join(root, 'node_modules/.cache', `keyrail-react-${process.pid}`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const code = `
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    import { KeyrailKeys } from './react.ts';
    const props = { tokenUrl: '/token', readOnly: true, pageSize: 10, onCreated: () => {} };
    export const html = renderToString(createElement(KeyrailKeys, props));`;
  const file = join(folder, 'rendered.mjs');
  const external = ['react', 'react-dom'];
  await writeFile(file, await bundled(code, { platform: 'node', external }));
  const { html } = await import(pathToFileURL(file).href);
  equal(html, '<keyrail-keys readonly="" token-url="/token" page-size="10"></keyrail-keys>');
});

test('the component works in strict mode, with its events, props and ref', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  site.serve('<div id="place"></div>');
  await site.open();
  const code = `
    import { createElement, createRef, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { KeyrailKeys } from './react.ts';
    window.reasons = [];
    window.heard = [];
    const ref = createRef();
    const props = {
      ref,
      url: ${JSON.stringify(site.api)},
      texts: { 'list.title': 'Keys of Acme' },
      getToken: async (reason) => {
        window.reasons.push(reason);
        return (await fetch('/token', { method: 'POST' })).json();
      },
      onReady: ({ detail }) => window.heard.push(detail.test_mode),
      onCreated: ({ detail }) => window.heard.push(detail.name),
    };
    const app = createRoot(document.querySelector('#place'));
    app.render(createElement(StrictMode, null, createElement(KeyrailKeys, props)));
    window.open_ = () => ref.current.openCreate();
    window.end = () => app.unmount();`;
  // Only React's development build runs effects twice.
  const define = { 'process.env.NODE_ENV': '"development"' };
  await page.evaluate(await bundled(code, { format: 'iife', define }));
  await page.getByText('Keys of Acme').waitFor();
  await page.getByText('No keys yet').waitFor();
  deepEqual(await page.evaluate('reasons'), ['start'], 'one token, although effects run twice');
  await page.evaluate('open_()');
  await page.getByRole('dialog').getByLabel('Name').fill('Website');
  await page.getByRole('dialog').getByLabel('invoices:read').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You won’t see it again.').waitFor();
  deepEqual(await page.evaluate('heard'), [false, 'Website']);
  await page.evaluate('end()');
  ok((await page.locator('keyrail-keys').count()) === 0);
});
