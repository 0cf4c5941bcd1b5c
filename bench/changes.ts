// Changes in one workspace, over HTTP on PostgreSQL, against the same statements by bare `pg`.
import { type Name, raceCreations } from './creations.ts';
import { createSecretKey } from './requests.ts';
import { judge, type Laps, rate, ratios, spread } from './rounds.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.6;
const PER_SECOND_MIN = 600;

export const measureChanges = async (): Promise<Finding[]> =>
  findings(
    await raceCreations(async (_port, token) => ({
      request: createSecretKey(token),
      parents: null,
    })),
  );

function findings(laps: Laps<Name>): Finding[] {
  const ours = laps.keyrail;
  const against = ratios(ours, laps['bare pg']);
  const awaited = ratios(ours, laps['bare pg, awaited']);
  const shown = spread(ours, rate);
  return [
    {
      name: 'changes: POST /v1/secret_keys, one workspace',
      ours: shown,
      peer: `bare pg ${spread(laps['bare pg'], rate)}`,
      ratio: spread(against, (value) => value.toFixed(2)),
      target: `>= ${RATIO_MIN.toFixed(2)}`,
      met: judge(against, (value) => value >= RATIO_MIN),
    },
    {
      name: 'changes: rate',
      ours: shown,
      peer: '-',
      ratio: '-',
      target: `>= ${PER_SECOND_MIN}/s`,
      met: judge(ours, (value) => value >= PER_SECOND_MIN),
    },
    {
      name: 'changes: against bare pg, each statement awaited',
      ours: shown,
      peer: `bare pg ${spread(laps['bare pg, awaited'], rate)}`,
      ratio: spread(awaited, (value) => value.toFixed(2)),
      target: 'context',
      met: null,
    },
  ];
}
