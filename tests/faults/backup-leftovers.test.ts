// A backup is killed together with everything it started. The next start removes what it left
// behind, and so does the next backup. Files that another process is still writing are kept.
import { deepEqual, equal } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileServer } from '@keyrail/testing/processes/environment.ts';
import type { StoreName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { command } from '../journeys/backup-commands.ts';
import { type Deployment, deploy, signalGroup } from '../journeys/deployment.ts';

const stores: StoreName[] = process.env.KEYRAIL_TEST_POSTGRES
  ? ['embedded', 'postgres']
  : ['embedded'];
const ATTEMPTS_MAX = 20;
const WAIT_MS = 60_000;
const POLL_MS = 1;

const namesIn = ({ directory }: Deployment): Promise<string[]> =>
  readdir(join(directory, 'backups')).catch(() => []);

const partsOf = async (deployment: Deployment): Promise<string[]> =>
  (await namesIn(deployment)).filter((name) => name.startsWith('.'));

/** Starts backups until one of them is killed before it is complete. */
async function caught(deployment: Deployment, signal: NodeJS.Signals): Promise<ChildProcess> {
  const before = await partsOf(deployment);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const child = deployment.inGroup('backup');
    const gone = once(child, 'exit');
    let isOver = false;
    void gone.then(() => {
      isOver = true;
    });
    while (!isOver && String(await partsOf(deployment)) === String(before)) await sleep(POLL_MS);
    signalGroup(child, signal);
    if (signal === 'SIGKILL') await gone;
    if ((await partsOf(deployment)).length > before.length) return child;
    signalGroup(child, 'SIGKILL');
  }
  throw new Error('every backup was complete before the signal');
}

for (const store of stores) {
  test(`leftovers from a killed backup are removed by the next start, and by the next backup (${store})`, async (t) => {
    await compileServer();
    const deployment = await deploy(t, {}, store);
    await (await deployment.run()).stop();
    await caught(deployment, 'SIGKILL');
    equal((await partsOf(deployment)).length, 1);
    // PostgreSQL holds the killed backup's lock until it notices that the connection is closed,
    // which may take a moment.
    await until(async () => {
      await (await deployment.run()).stop();
      return (await partsOf(deployment)).length === 0;
    }, WAIT_MS);

    await caught(deployment, 'SIGKILL');
    await until(async () => (await deployment.command('backup')).code === 0, WAIT_MS);
    deepEqual(await partsOf(deployment), []);
  });
}

test("starting a server does not touch a running backup's files, and the backup completes", {
  skip: !stores.includes('postgres') && 'the embedded store allows one process',
}, async (t) => {
  await compileServer();
  const deployment = await deploy(t, {}, 'postgres');
  await (await deployment.run()).stop();
  const backup = await caught(deployment, 'SIGSTOP');
  const parts = await partsOf(deployment);
  const server = await deployment.run();
  await server.stop();
  deepEqual(await partsOf(deployment), parts);
  const before = (await namesIn(deployment)).length;
  const gone = once(backup, 'exit');
  signalGroup(backup, 'SIGCONT');
  deepEqual(await gone, [0, null]);
  deepEqual(await partsOf(deployment), []);
  equal((await namesIn(deployment)).length, before);
  await command(deployment, 'restore-test');
});
