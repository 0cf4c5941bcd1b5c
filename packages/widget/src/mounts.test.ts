// The element is mounted many times, as in a single-page app.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { openSite } from '../test/ground.ts';

const MOUNTS = 1000;
const GROWTH_BYTES_MAX = 3_000_000;

test('mounting the element a thousand times leaks no memory, timers or listeners', async (t) => {
  const site = await openSite(t);
  if (!site) return;
  const { page } = site;
  site.serve('<p id="place"></p>');
  await site.open();
  const body = (await site.mint()).body;
  await page.evaluate((token) => {
    Reflect.set(window, 'mount', async (count: number) => {
      await customElements.whenDefined('keyrail-keys');
      for (let made = 0; made < count; made += 1) {
        const element = document.createElement('keyrail-keys');
        Reflect.set(element, 'getToken', async () => token);
        const scopes = ['keys:read', 'keys:write'];
        const times = { expires_at: '2099-01-01T00:05:00.000Z', expires_in: 300 };
        const named = { id: 'a', slug: 'a', name: 'A', external_id: 'a' };
        const session = { scopes, ...times, project: named, tenant: named, env: 'live' };
        Reflect.set(element, 'transport', async (url: URL) =>
          Response.json(String(url).includes('session') ? session : { data: [] }),
        );
        document.querySelector('#place')?.append(element);
        while (!element.shadowRoot?.querySelector('.empty')) {
          await new Promise((resolve) => setTimeout(resolve));
        }
        element.remove();
      }
    });
  }, body);
  const devtools = await site.context.newCDPSession(page);
  const measure = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { jsEventListeners, nodes } = await devtools.send('Memory.getDOMCounters');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    return { jsEventListeners, nodes, usedSize };
  };
  await page.evaluate('mount(20)');
  const before = await measure();
  await page.evaluate(`mount(${MOUNTS})`);
  const after = await measure();
  ok(after.jsEventListeners <= before.jsEventListeners + 10, `${after.jsEventListeners} listeners`);
  ok(after.nodes <= before.nodes + 200, `${after.nodes} nodes, before ${before.nodes}`);
  const grown = after.usedSize - before.usedSize;
  ok(grown < GROWTH_BYTES_MAX, `${grown} bytes more`);
});
