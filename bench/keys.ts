// API keys on PostgreSQL: creating keys against the same statements sent by bare `pg`; a page of
// a million keys beside a page of few; deleting a tenant with many keys, and the latency of other
// callers meanwhile. BENCH_KEYS sets the number of keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { compareRates, compareTimes } from './compare.ts';
import { raceCreations } from './creations.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { type Call, callOf, type Ground, loadKeys, newProject } from './policy-ground.ts';
import { foundWorkspace, requestText } from './requests.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const MANY = Number(process.env.BENCH_KEYS ?? 1_000_000);
const FEW = 1000;
const DOOMED = MANY / 10;
const CREATION_RATIO_MIN = 0.6;
const LIST_RATIO_MAX = 2;
const DELETE_SECONDS_MAX = 10;
const BLOCKED_MS_MAX = 1000;
const LISTS = 200;

export async function measureKeys(): Promise<Finding[]> {
  const creations = compareRates(await raceCreations(apiKeyIn), {
    name: 'keys: POST /v1/keys, one project',
    ours: 'keyrail',
    peer: 'bare pg',
    least: CREATION_RATIO_MIN,
  });
  return [creations, ...(await measureMany())];
}

async function apiKeyIn(port: number, token: string) {
  const { projectId, tenantId } = await newProject(callOf(port, token), 0);
  const body = {
    project_id: projectId,
    tenant_id: tenantId,
    env: 'live',
    name: 'Nightly import',
    meta: { team: 'billing' },
    scopes: ['orders:read'],
  };
  const request = requestText({ method: 'POST', path: '/v1/keys', token, body });
  return { request, parents: { projectId, tenantId } };
}

async function measureMany(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const ground = async (slug: string, size: number) => {
      const token = await foundWorkspace(server.port, server.bootstrapToken, slug);
      const call = callOf(server.port, token);
      const made = await newProject(call, 0);
      await loadKeys(store.url, made, size);
      console.log(`  created ${size} keys`);
      return { call, ...made };
    };
    const few = await ground('few', FEW);
    const many = await ground('many', MANY);
    const doomed = await ground('doomed', DOOMED);
    return [await measureLists(few.call, many.call), ...(await measureDelete(doomed))];
  });
}

const measureLists = (few: Call, many: Call): Promise<Finding> =>
  compareTimes(
    { name: `keys: 200 of ${MANY}`, few: `of ${FEW}`, most: LIST_RATIO_MAX },
    () => msPerList(few),
    () => msPerList(many),
  );

async function msPerList(call: Call): Promise<number> {
  const beganAt = performance.now();
  for (let n = 0; n < LISTS; n += 1) {
    const page = await call('GET', '/v1/keys?limit=200');
    if (!Array.isArray(page.data) || page.data.length !== 200) throw new Error('unexpected page');
  }
  return (performance.now() - beganAt) / LISTS;
}

/** During the delete, another caller of the workspace alternates reads and changes. */
async function measureDelete(ground: Ground & { call: Call }): Promise<Finding[]> {
  const { call, tenantId, projectId } = ground;
  const { id: other } = await call('POST', '/v1/tenants', { external_id: 'bystander' });
  let isOver = false;
  let blockedMs = 0;
  const bystander = async (): Promise<void> => {
    while (!isOver) {
      const askedAt = performance.now();
      const body = { project_id: projectId, tenant_id: other, env: 'live' };
      await call('POST', '/v1/keys', body);
      await call('GET', '/v1/keys?limit=50');
      blockedMs = Math.max(blockedMs, performance.now() - askedAt);
      await sleep(5);
    }
  };
  const standing = bystander();
  const beganAt = performance.now();
  await call('DELETE', `/v1/tenants/${tenantId}`);
  const seconds = (performance.now() - beganAt) / 1000;
  isOver = true;
  await standing;
  return [
    {
      name: `keys: deleting a tenant with ${DOOMED} keys`,
      ours: `${seconds.toFixed(1)} s`,
      peer: '-',
      ratio: '-',
      target: `< ${DELETE_SECONDS_MAX} s`,
      met: seconds < DELETE_SECONDS_MAX,
    },
    {
      name: 'keys: the slowest concurrent change',
      ours: `${blockedMs.toFixed(0)} ms`,
      peer: '-',
      ratio: '-',
      target: `< ${BLOCKED_MS_MAX} ms`,
      met: blockedMs < BLOCKED_MS_MAX,
    },
  ];
}
