// A poll of an up-to-date node, compared with the simplest authenticated read.
import { compareRates } from './compare.ts';
import { underLoad } from './contestants.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { callOf, newProject } from './policy-ground.ts';
import { foundWorkspace, read } from './requests.ts';
import { takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.6;

type Name = 'unchanged poll' | 'GET /v1/workspace';

export async function measurePolls(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const loader = keep(await openLoader());
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
    return [
      compareRates(laps, {
        name: 'policy: unchanged poll',
        ours: 'unchanged poll',
        peer: 'GET /v1/workspace',
        called: 'authenticated read',
        least: RATIO_MIN,
      }),
    ];
  });
}
