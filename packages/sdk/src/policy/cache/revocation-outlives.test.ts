// An acknowledged revocation outlives the process: a node that is killed immediately and restarted
// without a control plane does not accept the key, even if the disk was full or read-only.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@keyrail/testing/until.ts';
import { NodeProcess, type Served, servePlane } from '../../../test/node-process.ts';
import { Plane } from '../../../test/plane.ts';

const SCENARIOS = fileURLToPath(import.meta.resolve('../../../test/disk-scenarios.ts'));
const ROUNDS = 2;
const down = () => new Response(null, { status: 503 });

async function ground(t: TestContext): Promise<{ plane: Plane; served: Served; dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'kr-outlives-'));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }));
  const plane = new Plane();
  const served = await servePlane(plane);
  t.after(() => served.close());
  return { plane, served, dir };
}

function started(t: TestContext, { url }: Served, dir: string): NodeProcess {
  const node = new NodeProcess(url, { cacheDir: dir });
  t.after(() => node.kill());
  return node;
}

test('a killed node loses neither of two revocations made within a second', async (t) => {
  const { plane, served, dir } = await ground(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = plane.issue();
    const second = plane.issue();
    const kept = plane.issue();
    plane.fault = () => null;
    const node = started(t, served, dir);
    equal(await node.ask('ready'), true);
    await until(async () => (await readdir(dir)).some((name) => name.endsWith('.policy')));
    await until(() => served.acknowledged() === plane.version);
    for (const key of [first, second]) {
      plane.revoke(key);
      await until(() => served.acknowledged() === plane.version);
    }
    await node.kill();
    plane.fault = down;
    const offline = started(t, served, dir);
    equal(await offline.ask('ready'), true, offline.said.join(''));
    const verdicts = [];
    for (const key of [first, second, kept]) verdicts.push(await offline.ask(`verify ${key}`));
    deepEqual(verdicts, [false, false, true], `round ${round}`);
    await offline.kill();
  }
});

/** Runs disk-scenarios.ts in its own mount namespace, and returns its result. */
async function scenario(t: TestContext, name: string): Promise<Record<string, unknown> | null> {
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', tmpdir()]);
  if (status !== 0) {
    t.skip('tests cannot mount a file system on this machine');
    return null;
  }
  const node = [process.execPath, '--conditions=keyrail-source', SCENARIOS, name];
  // The test removes this directory, because the process leaves its mount point behind.
  const dir = await mkdtemp(join(tmpdir(), 'kr-disk-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: dir };
  const { stdout } = await promisify(execFile)('unshare', ['--mount', ...node], { env });
  return JSON.parse(stdout);
}

test('if the disk is full, the cache is lost, but revocations are not', async (t) => {
  const result = await scenario(t, 'full');
  if (result === null) return;
  ok(String(result.failure).includes('failed to write the policy cache'), String(result.failure));
  equal(result.isAcknowledged, true);
  deepEqual([result.revokedOffline, result.failureWithRoom], [false, null]);
  equal(result.keptLater, true, 'with free space the cache is written again');
});

test('a version is not acknowledged if the cache on disk can be neither updated nor removed', async (t) => {
  const result = await scenario(t, 'readOnly');
  if (result === null) return;
  equal(result.isRefused, true, 'the revocation is in force');
  equal(result.isAcknowledged, false);
  equal(result.isCounted, true, 'the node reports an older version');
  ok(String(result.failure).includes('failed to write the policy cache'), String(result.failure));
  equal(result.isAcknowledgedLater, true, 'once the disk can be written again');
});
