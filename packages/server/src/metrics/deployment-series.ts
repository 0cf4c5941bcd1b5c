// Figures of the whole deployment. They are read from the database, and kept for a few seconds, so
// that scraping cannot load it. Without an answer of the database they are absent.
import { Gauge, type Registry } from 'prom-client';
import { monotonicMs } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import type { BackupFacts } from '../doors/backup-facts.ts';
import type { DeploymentFigures } from '../doors/deployment-figures.ts';

const KEPT_MS = 5 * SECOND_MS;

export type DeploymentSources = {
  figures(): Promise<DeploymentFigures>;
  backupFacts(): Promise<BackupFacts>;
  workerIsSeen(): Promise<boolean | null>;
};

type Facts = [DeploymentFigures, BackupFacts, boolean | null] | null;

export function addDeploymentSeries(register: Registry, sources: DeploymentSources): void {
  const read = (): Promise<Facts> =>
    Promise.all([sources.figures(), sources.backupFacts(), sources.workerIsSeen()]).catch(
      () => null,
    );
  const facts = keptFor(KEPT_MS, read);

  const gauge = (name: string, help: string, valueIn: (facts: Facts) => number | null): void => {
    new Gauge({
      name,
      help,
      registers: [register],
      async collect() {
        const value = valueIn(await facts());
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  };
  gauge('keyrail_database_up', '1 if the database answered.', (all) => Number(all !== null));
  for (const [name, { help, valueIn }] of Object.entries(figureSeries)) {
    gauge(name, help, (all) => all && valueIn(all[0]));
  }
  gauge(
    'keyrail_worker_seen',
    '1 if a worker was seen lately; absent if none ever was.',
    (all) => all && (all[2] === null ? null : Number(all[2])),
  );
  gauge(
    'keyrail_backup_age_seconds',
    'The age of the newest good backup; absent without one.',
    (all) => all && ageOf(all[1]),
  );
  gauge(
    'keyrail_backup_last_passed',
    '1 if the newest backup passed; absent without one.',
    (all) => all && numberOf(all[1].lastPassed),
  );
  gauge(
    'keyrail_restore_test_passed',
    '1 if the newest restore test passed; absent without one.',
    (all) => all && numberOf(all[1].testPassed),
  );
}

type FigureSeries = { help: string; valueIn(figures: DeploymentFigures): number };

const figureSeries: Record<string, FigureSeries> = {
  keyrail_mail_queued: {
    help: 'Mails that are not sent yet, up to 2,000.',
    valueIn: ({ mailQueued }) => mailQueued,
  },
  keyrail_mail_overdue_seconds: {
    help: 'How long the oldest mail that is due has waited.',
    valueIn: ({ mailOverdueSeconds }) => mailOverdueSeconds,
  },
  keyrail_webhooks_queued: {
    help: 'Deliveries of webhooks that are pending, up to 2,000.',
    valueIn: ({ webhooksQueued }) => webhooksQueued,
  },
  keyrail_webhooks_overdue_seconds: {
    help: 'How long the oldest delivery that is due has waited, of enabled endpoints.',
    valueIn: ({ webhooksOverdueSeconds }) => webhooksOverdueSeconds,
  },
  keyrail_nodes_current: {
    help: 'Nodes that polled lately and have the newest policy, up to 2,000.',
    valueIn: ({ nodesCurrent }) => nodesCurrent,
  },
  keyrail_nodes_behind: {
    help: 'Nodes that polled lately and have an older policy, up to 2,000.',
    valueIn: ({ nodesBehind }) => nodesBehind,
  },
  keyrail_nodes_lag_seconds: {
    help: 'The age of the oldest change that a node which polled lately has not applied.',
    valueIn: ({ nodesLagSeconds }) => nodesLagSeconds,
  },
};

const numberOf = (passed: boolean | null): number | null =>
  passed === null ? null : Number(passed);

const ageOf = ({ now, goodAt }: BackupFacts): number | null =>
  goodAt && (now.getTime() - goodAt.getTime()) / SECOND_MS;

/** Calls of the same few seconds share one result. */
function keptFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { atMs: number; result: Promise<T> } | null = null;
  return () => {
    const nowMs = monotonicMs();
    if (kept === null || nowMs - kept.atMs >= keptMs) kept = { atMs: nowMs, result: read() };
    return kept.result;
  };
}
