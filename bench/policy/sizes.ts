// Measures the policy feed of a project with a million keys: how much time and server memory a full
// snapshot in pages takes, and how long a small delta takes, compared with the same delta in a
// small project.
import type { Program } from '../load/programs.ts';
import { residentMegabytes } from '../load/usage.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { compareTimes } from '../measure/compare.ts';
import { createFinding, type Finding, showRatio } from '../measure/finding.ts';
import { atMost } from '../measure/goal.ts';
import type { Run } from '../measure/plan.ts';
import { openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { createKeys, createProject, insertKeys } from '../setup/projects.ts';
import { type Call, createWorkspace } from '../setup/workspaces.ts';

const FEW = 1000;
const PAGE_KEYS = 10_000;
const GROWTH_MB_MAX = 100;
const LINEAR_RATIO_MAX = 1.5;
const DELTA_RATIO_MAX = 2;
/** How many changes a delta contains: each project's latest changes. */
const CHANGES = 10;
const WARM_UP_SNAPSHOTS = 30;
const WATCH_MS = 25;

/** A project with keys; `since` is the version before its latest changes. */
type Populated = { projectId: string; since: number };

export async function measureSizes(run: Run): Promise<void> {
  const { keys } = run.plan;
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const { call } = await createWorkspace(server, 'sizes');
    const projectWith = async (size: number): Promise<Populated> => {
      const project = await createProject(call);
      await insertKeys(store.url, project, size);
      await createKeys(call, project, CHANGES);
      return { projectId: project.projectId, since: 1 + size };
    };
    const few = await projectWith(FEW);
    const quarter = await projectWith(Math.ceil(keys / 4));
    const all = await projectWith(keys);
    const findings = await measureSnapshots(call, server, { few, quarter, all });
    for (const finding of findings) run.report(finding);
    run.report(
      await compareTimes(
        run,
        {
          name: `policy: delta of ${CHANGES} among ${keys} keys`,
          few: `among ${FEW} keys`,
          ratioMax: DELTA_RATIO_MAX,
        },
        { few: () => readDelta(call, few), many: () => readDelta(call, all) },
      ),
    );
  });
}

type Projects = { few: Populated; quarter: Populated; all: Populated };

async function measureSnapshots(
  call: Call,
  server: Program,
  { few, quarter, all }: Projects,
): Promise<Finding[]> {
  // Warm up first, so that any growth measured is due to these snapshots.
  for (let n = 0; n < WARM_UP_SNAPSHOTS; n += 1) await readSnapshot(call, few);
  await readSnapshot(call, quarter);
  const before = residentMegabytes(server);
  const part = await timedSnapshot(call, quarter);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMegabytes(server));
  }, WATCH_MS);
  const whole = await timedSnapshot(call, all);
  clearInterval(watching);
  const perKey = whole.ms / whole.keys / (part.ms / part.keys);
  const showMegabytes = (megabytes: number) => `${megabytes.toFixed(0)} MB`;
  const showPerKey = (ratio: number) => `${showRatio(ratio)} a key`;
  const showTime = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    createFinding({
      name: `policy: memory added by a snapshot of ${whole.keys} keys`,
      values: [most - before],
      show: showMegabytes,
      goal: atMost(GROWTH_MB_MAX),
      peer: `before ${showMegabytes(before)}`,
    }),
    createFinding({
      name: `policy: time for a snapshot of ${whole.keys} keys`,
      values: [perKey],
      show: showPerKey,
      goal: atMost(LINEAR_RATIO_MAX),
      ours: showTime(whole.ms),
      peer: `${part.keys} keys ${showTime(part.ms)}`,
      ratio: showPerKey(perKey),
    }),
  ];
}

async function timedSnapshot(
  call: Call,
  project: Populated,
): Promise<{ keys: number; ms: number }> {
  const beganAt = performance.now();
  const keys = await readSnapshot(call, project);
  return { keys, ms: performance.now() - beganAt };
}

/** Reads all pages and returns the number of keys. */
async function readSnapshot(call: Call, { projectId }: Populated): Promise<number> {
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

async function readDelta(call: Call, { projectId, since }: Populated): Promise<void> {
  const path = `/v1/policy/delta?project_id=${projectId}&since=${since}`;
  const { changes } = await call('GET', path);
  if (!Array.isArray(changes) || changes.length !== CHANGES) throw new Error('unexpected delta');
}
