// The feed of a project with a million keys: a whole snapshot in pages, its cost in server memory
// and time, and a small delta compared with the same delta of a small project.
// BENCH_POLICY_KEYS sets the number of keys.
import { readFileSync } from 'node:fs';
import { compareTimes } from './compare.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { type Call, callOf, type Ground, loadKeys, newProject } from './policy-ground.ts';
import { foundWorkspace } from './requests.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const KEYS = Number(process.env.BENCH_POLICY_KEYS ?? 1_000_000);
const FEW = 1000;
const PAGE_KEYS = 10_000;
const GROWTH_MB_MAX = 100;
const LINEAR_RATIO_MAX = 1.5;
const DELTA_RATIO_MAX = 2;
const CHANGES = 10;
const DELTAS = 300;
const WATCH_MS = 25;

export async function measureSizes(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'sizes');
    const call = callOf(server.port, token);
    const grounds: Ground[] = [];
    for (const size of [FEW, KEYS / 4, KEYS]) {
      const ground = await newProject(call, CHANGES);
      await loadKeys(store.url, ground, size);
      console.log(`  created ${size} keys`);
      grounds.push(ground);
    }
    const [few, quarter, all] = grounds;
    if (!few || !quarter || !all) throw new Error('impossible: three projects were made');
    return [
      ...(await measureSnapshots(call, server.pid, { few, quarter, all })),
      await measureDeltas(call, few, all),
    ];
  });
}

type Grounds = { few: Ground; quarter: Ground; all: Ground };

async function measureSnapshots(call: Call, pid: number, grounds: Grounds): Promise<Finding[]> {
  const { few, quarter, all } = grounds;
  // Warm up first, so that the measured growth belongs to these snapshots.
  for (let n = 0; n < 30; n += 1) await readAll(call, few);
  await readAll(call, quarter);
  const before = megabytesOf(pid);
  const part = await timedRead(call, quarter);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, megabytesOf(pid));
  }, WATCH_MS);
  const whole = await timedRead(call, all);
  clearInterval(watching);
  const perKey = whole.ms / whole.keys / (part.ms / part.keys);
  const shown = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    {
      name: `policy: memory for a snapshot of ${whole.keys} keys`,
      ours: `${before.toFixed(0)} MB + ${(most - before).toFixed(0)} MB`,
      peer: '-',
      ratio: '-',
      target: `+ < ${GROWTH_MB_MAX} MB`,
      met: most - before < GROWTH_MB_MAX,
    },
    {
      name: `policy: time for a snapshot of ${whole.keys} keys`,
      ours: shown(whole.ms),
      peer: `${part.keys} keys ${shown(part.ms)}`,
      ratio: `${perKey.toFixed(2)} a key`,
      target: `<= ${LINEAR_RATIO_MAX.toFixed(2)} a key`,
      met: perKey <= LINEAR_RATIO_MAX,
    },
  ];
}

async function timedRead(call: Call, ground: Ground): Promise<{ keys: number; ms: number }> {
  const beganAt = performance.now();
  const keys = await readAll(call, ground);
  return { keys, ms: performance.now() - beganAt };
}

async function readAll(call: Call, { projectId }: Ground): Promise<number> {
  let keys = 0;
  let cursor = '';
  do {
    const query = `project_id=${projectId}&max_keys=${PAGE_KEYS}${cursor}`;
    const page = await call('GET', `/v1/policy/snapshot?${query}`);
    keys += Array.isArray(page.keys) ? page.keys.length : 0;
    cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : '';
  } while (cursor !== '');
  return keys;
}

const megabytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

const measureDeltas = (call: Call, few: Ground, all: Ground): Promise<Finding> =>
  compareTimes(
    {
      name: `policy: delta of ${CHANGES} among ${KEYS} keys`,
      few: `among ${FEW} keys`,
      most: DELTA_RATIO_MAX,
    },
    () => msPerDelta(call, few),
    () => msPerDelta(call, all),
  );

async function msPerDelta(call: Call, { projectId, version }: Ground): Promise<number> {
  const since = version - CHANGES;
  const beganAt = performance.now();
  for (let n = 0; n < DELTAS; n += 1) {
    const { changes } = await call(
      'GET',
      `/v1/policy/delta?project_id=${projectId}&since=${since}`,
    );
    if (!Array.isArray(changes) || changes.length !== CHANGES) throw new Error('unexpected delta');
  }
  return (performance.now() - beganAt) / DELTAS;
}
