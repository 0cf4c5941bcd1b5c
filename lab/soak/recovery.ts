// The phase after the faults, which measures how long it takes until everything works again (I25).
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '@keyrail/testing/people.ts';
import { ask } from '@keyrail/testing/processes/http.ts';
import { isOk, type Recovery } from './history.ts';
import { mailsIn } from './steps/people.ts';
import { send, type World } from './world.ts';

const GIVE_UP_MS = 60_000;
const STEP_MS = 50;

export async function awaitRecovery(world: World, healedAt: number): Promise<Recovery[]> {
  const measured = async (what: string, works: () => Promise<boolean>): Promise<Recovery> => {
    while (performance.now() - healedAt < GIVE_UP_MS) {
      if (await works()) return { what, ms: performance.now() - healedAt };
      await sleep(STEP_MS);
    }
    return { what, ms: null };
  };
  const email = `late-${world.fresh()}@example.com`;
  return Promise.all([
    ...world.urls.map((url, n) => measured(`API ${n} is ready`, () => answers(url))),
    measured('a change succeeds', async () => isOk(await probe(world))),
    measured('nodes have the last version', () => nodesFollow(world)),
    measured('queued email is sent', mailArrives(world, email)),
  ]);
}

export async function answers(url: string): Promise<boolean> {
  const outcome = await ask(url, { path: '/readyz' });
  return outcome.kind === 'answered' && outcome.status === 200;
}

const probe = (world: World) =>
  send(world, 'recovery', {
    kind: 'tenant.create',
    args: { external_id: world.fresh() },
    method: 'POST',
    path: '/v1/tenants',
    body: { external_id: `probe-${world.fresh()}` },
  });

async function nodesFollow(world: World): Promise<boolean> {
  const path = `/v1/projects/${world.projectId}`;
  const project = await send(world, 'recovery', { kind: 'project.read', path });
  if (!isOk(project)) return false;
  const states = await Promise.all([...world.nodes.values()].map((node) => node.state()));
  return states.every(
    ({ version, source }) => source === 'feed' && version === project.body.policy_version,
  );
}

function mailArrives(world: World, email: string): () => Promise<boolean> {
  let isAsked = false;
  return async () => {
    if (!isAsked) {
      const op = await send(world, 'recovery', {
        kind: 'signup',
        args: { email },
        method: 'POST',
        path: '/v1/auth/users',
        token: '',
        body: { email, password: PASSWORD },
      });
      isAsked = isOk(op);
    }
    return (await mailsIn(world.mailDir)).some(({ to }) => to === email);
  };
}
