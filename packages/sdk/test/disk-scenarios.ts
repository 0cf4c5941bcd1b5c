// Simulates disk faults on a small file system that is visible only to this process, which must
// therefore run in its own mount namespace. Prints the result as JSON.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@keyrail/testing/until.ts';
import { NodeProcess, servePlane } from './node-process.ts';
import { Plane } from './plane.ts';

const KEYS = 200;
const FILL_BYTES = 4096;

/** Fills the disk. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(FILL_BYTES));
  } catch {
    closeSync(file);
  }
}

async function started() {
  const disk = await mkdtemp(join(tmpdir(), 'disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'none', disk]);
  const plane = new Plane();
  const keys = Array.from({ length: KEYS }, () => plane.issue());
  const served = await servePlane(plane);
  const dir = join(disk, 'cache');
  const node = new NodeProcess(served.url, { cacheDir: dir });
  await node.ask('ready');
  const isKept = () => readdirSync(dir).some((name) => name.endsWith('.policy'));
  await until(isKept);
  await until(() => served.acknowledged() === plane.version);
  return { disk, dir, plane, keys, served, node, isKept };
}

const failureOf = async (node: NodeProcess): Promise<unknown> =>
  Object(Object(await node.ask('state')).failure).message ?? null;

async function full(): Promise<object> {
  const { disk, dir, plane, keys, served, node, isKept } = await started();
  const filler = join(disk, 'filler');
  fill(filler);
  const [revoked = '', kept = ''] = keys;
  plane.revoke(revoked);
  await until(() => served.acknowledged() === plane.version);
  const failure = await failureOf(node);
  await node.kill();
  plane.fault = () => new Response(null, { status: 503 });
  const offline = new NodeProcess(served.url, { cacheDir: dir });
  await offline.ask('ready');
  const revokedOffline = await offline.ask(`verify ${revoked}`);
  await offline.kill();
  // Next, a node starts while the disk is still full, and space becomes available a moment later.
  plane.fault = () => null;
  const again = new NodeProcess(served.url, { cacheDir: dir });
  await again.ask('ready');
  rmSync(filler);
  await until(isKept);
  const failureWithRoom = await failureOf(again);
  await again.kill();
  plane.fault = () => new Response(null, { status: 503 });
  const later = new NodeProcess(served.url, { cacheDir: dir });
  await later.ask('ready');
  const keptLater = await later.ask(`verify ${kept}`);
  await later.kill();
  served.close();
  const isAcknowledged = served.acknowledged() === plane.version;
  return { failure, isAcknowledged, revokedOffline, failureWithRoom, keptLater };
}

async function readOnly(): Promise<object> {
  const { disk, plane, keys, served, node } = await started();
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const before = served.acknowledged();
  const [revoked = ''] = keys;
  const asked = plane.asked.length;
  plane.revoke(revoked);
  await until(async () => (await node.ask(`verify ${revoked}`)) === false);
  // The change is followed by two polls: one that includes the node's name and reports it alive,
  // and one without a name.
  await until(() => plane.asked.slice(asked).some(({ query }) => !query.has('node')));
  const isRefused = (await node.ask(`verify ${revoked}`)) === false;
  const isAcknowledged = served.acknowledged() === plane.version;
  const isCounted = plane.asked
    .slice(-3)
    .some(({ query }) => query.has('node') && Number(query.get('since')) === before);
  const failure = await failureOf(node);
  execFileSync('mount', ['-o', 'remount,rw', disk]);
  await until(() => {
    plane.wake();
    return served.acknowledged() === plane.version;
  });
  await node.kill();
  served.close();
  return { isRefused, isAcknowledged, isCounted, failure, isAcknowledgedLater: true };
}

const scenarios: Record<string, () => Promise<object>> = { full, readOnly };
console.log(JSON.stringify(await scenarios[process.argv[2] ?? '']?.()));
