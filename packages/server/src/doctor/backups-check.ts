// Checks that the newest successful backup is recent, and that its restore test passed.
import { DAY_MS, HOUR_MS } from '../base/duration.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

/** How many backup intervals may pass before the newest backup counts as late. */
const LATE_AFTER = 2;
/** The interval assumed if backups are not scheduled. */
const EVERY_MS = DAY_MS;

type Run = {
  kind: 'backup' | 'restore_test';
  passed: boolean;
  reason: string | null;
  ageMs: number;
};

/** `everyMs` is null if backups are not scheduled. */
export async function checkBackups(
  inspection: Inspection,
  { everyMs }: { everyMs: number | null },
): Promise<Outcome[]> {
  const [{ isKept } = { isKept: false }] = await inspection.query<{ isKept: boolean }>(
    `select to_regclass('keyrail.backup_runs') is not null as "isKept"`,
  );
  const runs = isKept ? await inspection.queryAs<Run>('kr_worker', RUNS) : [];
  const backups = runs.filter(({ kind }) => kind === 'backup');
  const good = backups.find(({ passed }) => passed);
  if (!good) return [backups[0] ? failure('backup', backups[0]) : never];
  const ageHours = Math.floor(good.ageMs / HOUR_MS);
  const [last] = backups;
  const test = runs.find(({ kind }) => kind === 'restore_test');
  const found = [
    ...(good.ageMs > LATE_AFTER * (everyMs ?? EVERY_MS) ? [lateFault(ageHours)] : []),
    ...(last && !last.passed ? [failure('backup', last)] : []),
    ...(test && !test.passed ? [failure('restore test', test)] : []),
  ];
  return found.length > 0 ? found : [fine(`The newest backup is ${ageHours} hours old.`)];
}

// Enough of the newest results to find the last success. Leaves out results dated in the future,
// which can exist if the clock has since been set back.
const RUNS = `
  select kind, passed, reason,
    (extract(epoch from app_now() - ended_at) * 1000)::float8 as "ageMs"
  from backup_runs where ended_at <= (select app_now()) order by ended_at desc limit 1000`;

const never = warning(
  'There are no backups.',
  'Create one with keyrail-server backup, and set KEYRAIL_BACKUP_EVERY.',
);

const lateFault = (hours: number): Outcome =>
  fault(
    `The newest backup is ${hours} hours old.`,
    'Run a worker with KEYRAIL_BACKUP_EVERY, or run keyrail-server backup on your own schedule.',
  );

const failure = (what: string, { reason }: Run): Outcome =>
  fault(
    `The last ${what} failed: ${reason ?? 'unknown reason'}`,
    'Fix the cause, then run keyrail-server backup and keyrail-server restore-test.',
  );
