// Compares the clocks of this machine, the database and Redis. Stored times come from the
// database's clock, rate limits follow Redis's clock, and clients compare both with their own.

import { SECOND_MS } from '../base/duration.ts';
import type { RedisSurvey } from '../volatile/redis-survey.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const APART_MS_WARNED = 2 * SECOND_MS;
const APART_MS_MAX = 30 * SECOND_MS;

/**
 * How far a clock is ahead of this machine's clock, and the margin of error of that measurement.
 */
type Reading = { name: string; aheadMs: number; unsureMs: number };

/** Requires a migrated database, because it calls app_now(). */
export async function readDatabaseClock(
  inspection: Inspection,
  nowMs: () => number,
): Promise<Reading> {
  const before = nowMs();
  const [row] = await inspection.queryAs<{ ms: number }>(
    'kr_gate',
    'select (extract(epoch from app_now()) * 1000)::float8 as ms',
  );
  const after = nowMs();
  const aheadMs = (row?.ms ?? 0) - (before + after) / 2;
  return { name: 'the database', aheadMs, unsureMs: (after - before) / 2 };
}

export const readRedisClocks = ({ servers }: RedisSurvey): Reading[] =>
  servers.map(({ name, aheadMs, unsureMs }) => ({ name: `Redis at ${name}`, aheadMs, unsureMs }));

export function checkClocks(readings: readonly Reading[]): Outcome[] {
  const found = [thisMachine, ...readings].flatMap((one, at, all) =>
    all.slice(at + 1).flatMap((other) => apartFaults(one, other)),
  );
  if (found.length > 0) return found;
  const names = readings.map(({ name }) => name).join(', ');
  return [fine(`These clocks agree: this machine, ${names}.`)];
}

const thisMachine: Reading = { name: 'this machine', aheadMs: 0, unsureMs: 0 };

function apartFaults(one: Reading, other: Reading): Outcome[] {
  const difference = Math.abs(one.aheadMs - other.aheadMs);
  // The clocks differ by at least this much, after subtracting both margins of error.
  const apartMs = difference - one.unsureMs - other.unsureMs;
  if (apartMs < APART_MS_WARNED) return [];
  const seconds = (apartMs / SECOND_MS).toFixed(1);
  const report = apartMs >= APART_MS_MAX ? fault : warning;
  return [
    report(
      `The clocks of ${one.name} and ${other.name} differ by ${seconds} s.`,
      'Synchronise the clocks of all machines (NTP).',
    ),
  ];
}
