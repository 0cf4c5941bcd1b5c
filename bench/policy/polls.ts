// Measures an up-to-date node's poll, compared with the simplest authenticated read.
import { underLoad } from '../load/contestants.ts';
import { openLoadGenerator } from '../load/load-generator.ts';
import { getRequest } from '../load/requests.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { compareRates } from '../measure/compare.ts';
import { atLeast } from '../measure/goal.ts';
import { type Run, roundsOf } from '../measure/plan.ts';
import { runRounds } from '../measure/rounds.ts';
import { openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { createKeys, createProject } from '../setup/projects.ts';
import { createWorkspace } from '../setup/workspaces.ts';

const RATIO_MIN = 0.6;

type Name = 'unchanged poll' | 'GET /v1/workspace';

export async function measurePolls({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const generator = stopAtEnd(await openLoadGenerator());
    const { token, call } = await createWorkspace(server, 'polls');
    const project = await createProject(call);
    await createKeys(call, project, 1);
    const poll = `/v1/policy/delta?project_id=${project.projectId}&since=2&node=bench`;
    const served = (name: Name, path: string) =>
      underLoad<Name>(generator, { name, server, request: getRequest(path, token) });
    const samples = await runRounds<Name>(roundsOf(plan), [
      served('unchanged poll', poll),
      served('GET /v1/workspace', '/v1/workspace'),
    ]);
    report(
      compareRates(samples, {
        name: 'policy: unchanged poll',
        ours: 'unchanged poll',
        peer: 'GET /v1/workspace',
        label: 'authenticated read',
        goal: atLeast(RATIO_MIN),
      }),
    );
  });
}
