// Changes in one workspace, over HTTP on PostgreSQL, against the same statements by bare `pg`.
import { compareRates } from './compare.ts';
import { type Name, raceCreations } from './creations.ts';
import { createSecretKey } from './requests.ts';
import { judge, type Laps, rate, spread } from './rounds.ts';
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
  return [
    compareRates(laps, {
      name: 'changes: POST /v1/secret_keys, one workspace',
      ours: 'keyrail',
      peer: 'bare pg',
      least: RATIO_MIN,
    }),
    {
      name: 'changes: rate',
      ours: spread(laps.keyrail, rate),
      peer: '-',
      ratio: '-',
      target: `>= ${PER_SECOND_MIN}/s`,
      met: judge(laps.keyrail, (value) => value >= PER_SECOND_MIN),
    },
    compareRates(laps, {
      name: 'changes: against bare pg, each statement awaited',
      ours: 'keyrail',
      peer: 'bare pg, awaited',
      called: 'bare pg',
      least: null,
    }),
  ];
}
