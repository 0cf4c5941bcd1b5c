// A poll of a node that has everything, beside the plainest authenticated read there is.
import { underLoad } from './contestants.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { callOf, newProject } from './policy-ground.ts';
import { foundWorkspace, read } from './requests.ts';
import { median, rate, ratios, spread, takeTurns } from './rounds.ts';
import { type Stoppable, stopAll } from './stop.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.6;

type Name = 'unchanged poll' | 'GET /v1/workspace';

export async function measurePolls(): Promise<Finding[]> {
  const opened: Stoppable[] = [];
  try {
    const store = await openPostgres();
    opened.push(store);
    const server = await startOnPostgres(store.url);
    opened.push(server);
    const loader = await openLoader();
    opened.push(loader);
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'polls');
    const { projectId, version } = await newProject(callOf(server.port, token), 1);
    const path = `/v1/policy/delta?project_id=${projectId}&since=${version}&node=bench`;
    const laps = await takeTurns<Name>([
      underLoad<Name>(loader, { name: 'unchanged poll', server, request: read(path, token) }),
      underLoad<Name>(loader, {
        name: 'GET /v1/workspace',
        server,
        request: read('/v1/workspace', token),
      }),
    ]);
    const against = ratios(laps['unchanged poll'], laps['GET /v1/workspace']);
    return [
      {
        name: 'policy: unchanged poll',
        ours: spread(laps['unchanged poll'], rate),
        peer: `authenticated read ${spread(laps['GET /v1/workspace'], rate)}`,
        ratio: spread(against, (value) => value.toFixed(2)),
        target: `>= ${RATIO_MIN.toFixed(2)}`,
        met: median(against) >= RATIO_MIN,
      },
    ];
  } finally {
    await stopAll(opened);
  }
}
