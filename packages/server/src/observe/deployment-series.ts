// Metrics for the whole deployment. They are read from the database and cached for a few seconds,
// so that scraping can't overload it. If the database doesn't respond, they are left out.
import { valueText } from '@keyrail/protocol/wire/metrics-text.ts';
import { monotonicMs } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import type { BackupFacts, DeploymentFigures } from './deployment-facts.ts';

const KEPT_MS = 5 * SECOND_MS;

export type DeploymentSources = {
  figures(): Promise<DeploymentFigures>;
  backupFacts(): Promise<BackupFacts>;
  workerIsSeen(): Promise<boolean | null>;
};

type Facts = [DeploymentFigures, BackupFacts, boolean | null] | null;

export function deploymentSeries(sources: DeploymentSources): () => Promise<string> {
  const read = (): Promise<Facts> =>
    Promise.all([sources.figures(), sources.backupFacts(), sources.workerIsSeen()]).catch(
      () => null,
    );
  const facts = keptFor(KEPT_MS, read);
  return async () => textOf(await facts());
}

function textOf(facts: Facts): string {
  const [figures, backups, workerIsSeen] = facts ?? [null, null, null];
  return [
    valueText('keyrail_database_up', '1 if the database responded.', Number(facts !== null)),
    ...Object.entries(figureSeries).map(([name, { help, valueIn }]) =>
      valueText(name, help, figures && valueIn(figures)),
    ),
    valueText(
      'keyrail_worker_seen',
      '1 if a worker was seen recently; absent if none ever has been.',
      numberOf(workerIsSeen),
    ),
    valueText(
      'keyrail_backup_age_seconds',
      'Age of the newest verified backup; absent if there is none.',
      backups && ageOf(backups),
    ),
    valueText(
      'keyrail_backup_last_passed',
      '1 if the newest backup passed; absent if there is none.',
      backups && numberOf(backups.lastPassed),
    ),
    valueText(
      'keyrail_restore_test_passed',
      '1 if the newest restore test passed; absent if there is none.',
      backups && numberOf(backups.testPassed),
    ),
  ].join('');
}

type FigureSeries = { help: string; valueIn(figures: DeploymentFigures): number };

const figureSeries: Record<string, FigureSeries> = {
  keyrail_mail_queued: {
    help: 'Emails waiting to be sent, up to 2,000.',
    valueIn: ({ mailQueued }) => mailQueued,
  },
  keyrail_mail_overdue_seconds: {
    help: 'How long the oldest due email has been waiting.',
    valueIn: ({ mailOverdueSeconds }) => mailOverdueSeconds,
  },
  keyrail_webhooks_queued: {
    help: 'Pending webhook deliveries, up to 2,000.',
    valueIn: ({ webhooksQueued }) => webhooksQueued,
  },
  keyrail_webhooks_overdue_seconds: {
    help: 'How long the oldest due delivery to an enabled endpoint has been waiting.',
    valueIn: ({ webhooksOverdueSeconds }) => webhooksOverdueSeconds,
  },
  keyrail_nodes_current: {
    help: 'Recently active nodes with the newest policy, up to 2,000.',
    valueIn: ({ nodesCurrent }) => nodesCurrent,
  },
  keyrail_nodes_behind: {
    help: 'Recently active nodes with an older policy, up to 2,000.',
    valueIn: ({ nodesBehind }) => nodesBehind,
  },
  keyrail_nodes_lag_seconds: {
    help: "Age of the oldest change that a recently active node hasn't applied.",
    valueIn: ({ nodesLagSeconds }) => nodesLagSeconds,
  },
};

const numberOf = (isTrue: boolean | null): number | null =>
  isTrue === null ? null : Number(isTrue);

const ageOf = ({ now, goodAt }: BackupFacts): number | null =>
  goodAt && (now.getTime() - goodAt.getTime()) / SECOND_MS;

/** Calls within the same few seconds share one result. */
function keptFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { atMs: number; result: Promise<T> } | null = null;
  return () => {
    const nowMs = monotonicMs();
    if (kept === null || nowMs - kept.atMs >= keptMs) kept = { atMs: nowMs, result: read() };
    return kept.result;
  };
}
