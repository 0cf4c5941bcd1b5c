// The inputs that all checks share, and the time limit for each check.
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import type { Sealing } from '../base/sealing.ts';
import type { Config } from '../config.ts';
import { type Finding, fault, type Outcome } from './finding.ts';

export type CheckParts = {
  config: Config;
  databaseUrl: string | null;
  redisUrl: string | null;
  /** Null if the port isn't chosen until startup. */
  publicUrl: string | null;
  /** Null if there is no master key yet. */
  unseal: Sealing['unseal'] | null;
  nowMs(): number;
};

const CHECK_MS_MAX = 30 * SECOND_MS;

/** Runs one check. If the check itself fails or times out, that is reported as a finding. */
export async function bounded(check: string, run: () => Promise<Outcome[]>): Promise<Finding[]> {
  const late = new AbortController();
  try {
    const outcomes = await Promise.race([run(), failsLater(late.signal)]);
    return outcomes.map((outcome) => ({ check, ...outcome }));
  } catch (error) {
    return [{ check, ...fault(`Couldn't check this: ${reasonOf(error)}`, CHECK_REMEDY) }];
  } finally {
    late.abort();
  }
}

const CHECK_REMEDY = 'Fix the other findings first, then run doctor again.';

async function failsLater(signal: AbortSignal): Promise<never> {
  await sleep(CHECK_MS_MAX, undefined, { signal, ref: false });
  throw new Error(`no response within ${CHECK_MS_MAX / SECOND_MS} seconds`);
}
