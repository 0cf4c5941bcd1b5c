// Measures operations on API keys, with PostgreSQL as the store: creating keys, compared with the
// same statements sent by bare `pg`; listing one page of a million keys, compared with one page of
// a few keys; and deleting a tenant with many keys, including the latency for other callers during
// the deletion.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureCreations } from './creations.ts';
import { requestText } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates, compareTimes } from './measure/compare.ts';
import { createFinding } from './measure/finding.ts';
import { atLeast, atMost } from './measure/goal.ts';
import type { Run } from './measure/plan.ts';
import { openPostgres, startOnPostgres } from './setup/keyrail.ts';
import { createProject, insertKeys, type Project } from './setup/projects.ts';
import { type Call, createWorkspace, type Workspace } from './setup/workspaces.ts';

const FEW = 1000;
/** The fraction of all keys that belong to the tenant being deleted. */
const DELETED_SHARE = 0.1;
const CREATION_RATIO_MIN = 0.6;
const LIST_RATIO_MAX = 2;
const DELETE_SECONDS_MAX = 10;
const WAIT_MS_MAX = 1000;
const PAGE = 200;
const PAUSE_MS = 5;

export async function measureKeys(run: Run): Promise<void> {
  const samples = await measureCreations(run.plan, createKeyIn);
  run.report(
    compareRates(samples, {
      name: 'keys: POST /v1/keys, one project',
      ours: 'keyrail',
      peer: 'bare pg',
      goal: atLeast(CREATION_RATIO_MIN),
    }),
  );
  await measureManyKeys(run);
}

async function createKeyIn({ token, call }: Workspace) {
  const { projectId, tenantId } = await createProject(call);
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

async function measureManyKeys(run: Run): Promise<void> {
  const many = run.plan.keys;
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const workspaceWith = async (slug: string, keys: number) => {
      const { call } = await createWorkspace(server, slug);
      const project = await createProject(call);
      await insertKeys(store.url, project, keys);
      return { call, project };
    };
    const few = await workspaceWith('few', FEW);
    const all = await workspaceWith('many', many);
    run.report(
      await compareTimes(
        run,
        { name: `keys: ${PAGE} of ${many}`, few: `of ${FEW}`, ratioMax: LIST_RATIO_MAX },
        { few: () => readPage(few.call), many: () => readPage(all.call) },
      ),
    );
    const deleted = Math.ceil(many * DELETED_SHARE);
    await measureDelete(run, await workspaceWith('deleted', deleted), deleted);
  });
}

async function readPage(call: Call): Promise<void> {
  const page = await call('GET', `/v1/keys?limit=${PAGE}`);
  if (!Array.isArray(page.data) || page.data.length !== PAGE) throw new Error('unexpected page');
}

type Populated = { call: Call; project: Project };

/**
 * During the deletion, another caller alternates between changes and reads in the same workspace.
 */
async function measureDelete(
  { report }: Run,
  { call, project: { projectId, tenantId } }: Populated,
  keys: number,
): Promise<void> {
  const { id: otherTenant } = await call('POST', '/v1/tenants', { external_id: 'other' });
  let isOver = false;
  let slowestMs = 0;
  const callMeanwhile = async (): Promise<void> => {
    while (!isOver) {
      const beganAt = performance.now();
      const body = { project_id: projectId, tenant_id: otherTenant, env: 'live' };
      await call('POST', '/v1/keys', body);
      await call('GET', '/v1/keys?limit=50');
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      await sleep(PAUSE_MS);
    }
  };
  const meanwhile = callMeanwhile();
  const beganAt = performance.now();
  await call('DELETE', `/v1/tenants/${tenantId}`);
  const seconds = (performance.now() - beganAt) / 1000;
  isOver = true;
  await meanwhile;
  report(
    createFinding({
      name: `keys: deleting a tenant with ${keys} keys`,
      values: [seconds],
      show: (value) => `${value.toFixed(1)} s`,
      goal: atMost(DELETE_SECONDS_MAX),
    }),
  );
  report(
    createFinding({
      name: 'keys: the slowest change and read during the delete',
      values: [slowestMs],
      show: (value) => `${value.toFixed(0)} ms`,
      goal: atMost(WAIT_MS_MAX),
    }),
  );
}
