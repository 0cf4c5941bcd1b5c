// The system page shows where the deployment's backups are.
import { equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { type Ground, openGround } from '../../../test/ground.ts';

const DAY_MS = 86_400_000;

type Backup = { everyMs: number | null; place: 'inside' | 'outside' | null };

/** Opens the system page of a server with these backup settings. */
async function open(t: TestContext, ground: Ground, backup: Backup) {
  const all = { tasks: null, operatorEmail: null, ...backup };
  const { app } = appBeside(t, await testApp(), { backup: all });
  const origin = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const { page, visit } = await ground.visitor({ origin });
  await visit('/system');
  return { page, row: page.getByRole('listitem').filter({ hasText: 'Backup' }) };
}

test('the page says where backups are stored, and what to do if they are in the data directory', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const risky = await open(t, ground, { everyMs: DAY_MS, place: 'inside' });
  await risky.row.getByText('copies the database into the server’s data directory').waitFor();
  await risky.row.getByText('Copy them to another machine').waitFor();
  await ground.axe(risky.page);

  const apart = await open(t, ground, { everyMs: DAY_MS, place: 'outside' });
  await apart.row.getByText('into the directory set with KEYRAIL_BACKUP_DIR').waitFor();
  equal(await apart.row.getByText('another machine').count(), 0);

  const elsewhere = await open(t, ground, { everyMs: null, place: null });
  await elsewhere.page.getByText('Version').waitFor();
  await elsewhere.row.getByText('to the worker’s backup directory').waitFor();
});
