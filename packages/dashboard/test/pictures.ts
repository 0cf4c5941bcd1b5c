// Takes screenshots of every screen and dialog in every state, in both themes, at three widths:
// node packages/dashboard/test/pictures.ts <folder> [name pattern] [widths] [themes]
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { serveGallery } from './gallery-server.ts';
import { openGround } from './ground.ts';
import { type Camera, openStudio, picture, take } from './studio.ts';

const [, , folder = 'pictures', pattern = '', widths = '', themes = ''] = process.argv;
const WIDTHS = [390, 768, 1440];

const listOf = (text: string): string[] => text.split(',').filter((one) => one !== '');

test('every screenshot is taken', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400, 401, 403, 404, 409, 500);
  await mkdir(folder, { recursive: true });
  const camera: Camera = { folder, widths: listOf(widths).map(Number), themes: listOf(themes) };
  const wanted = new RegExp(pattern);
  const { tabs, shots } = await openStudio(t, ground);
  for (const shot of shots.filter(({ name }) => wanted.test(name))) {
    await take(tabs, shot, camera).catch((error: Error) => {
      // If one screenshot fails, the others are still taken.
      t.diagnostic(`${shot.name}: ${error.message}`);
    });
  }
  if (!wanted.test('gallery')) return;
  const gallery = await ground.visitor({ origin: await serveGallery(t) });
  await gallery.visit('/');
  await picture(gallery.page, 'gallery', { ...camera, widths: WIDTHS });
});
