// Pictures of every registered screen, in both themes and at three widths, for people to look at:
// node packages/dashboard/test/pictures.ts <folder> [part of a path]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { screens } from '../src/routes.ts';
import { serveGallery } from './gallery-server.ts';
import { openGround, type Vendor } from './ground.ts';

const [, , folder = 'pictures', part = ''] = process.argv;
const WIDTHS = [390, 768, 1440];
const SHOW_ALL = `for (const group of document.querySelectorAll('[role=rowgroup]')) {
  group.style.contentVisibility = 'visible';
}`;

async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Fonts and charts settle; a picture has no condition to wait for.
      await page.waitForTimeout(250);
      // Parts that the browser skips while they are far away would be missing.
      await page.evaluate(SHOW_ALL);
      const path = join(folder, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
}

/** Objects for the parameters of paths. */
async function objectsOf({ given }: Vendor) {
  const project = await given.project({ name: 'Orders', slug: 'orders' });
  const tenant = await given.tenant({ external_id: 'globex', name: 'Globex' });
  const ids = { project_id: project.id, tenant_id: tenant.id };
  const keys = [];
  for (const name of ['Backend', 'Warehouse', 'Importer']) {
    keys.push(await given.key({ ...ids, name, env: 'live', scopes: ['orders:read'] }));
  }
  return { project, tenant, key: keys[0] };
}

test('pictures', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400, 401, 403, 404, 409);
  const { page, vendor, visit } = await ground.signIn();
  const visitor = await ground.visitor();
  const { project, tenant, key } = await objectsOf(vendor);
  for (const { frame, path } of screens) {
    const name = path.replaceAll(/[$/]+/g, '-').replace(/^-/, '') || 'not-found';
    if (!path.includes(part)) continue;
    const id = path.includes('tenants') ? tenant.id : key?.id;
    const filled = path
      .replace('$env', 'live')
      .replace(/projects\/\$\w+/, `projects/${project.slug}`)
      .replace(/audit\/\$\w+/, 'audit/1')
      .replaceAll(/\$\w+/g, String(id))
      .replace(/^\$$/, 'nowhere');
    if (frame === 'open') {
      await visitor.visit(`/${filled}`);
      await picture(visitor.page, name);
    } else {
      await visit(frame === 'workspace' ? `/w/${vendor.slug}/${filled}` : `/${filled}`);
      await picture(page, name);
    }
  }
  if (!'gallery'.includes(part)) return;
  const gallery = await ground.visitor({ origin: await serveGallery(t) });
  await gallery.visit('/');
  await picture(gallery.page, 'gallery');
});
