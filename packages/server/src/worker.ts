// The worker: runs all features' jobs, in any number of processes. Steady jobs run in every process
// and divide their work with claims; a scheduled job runs in only one process at a time, which
// holds a lease.
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './base/duration.ts';
import type { NewId } from './base/ids.ts';
import type { Log } from './base/log.ts';
import { createOutageLog } from './base/outage.ts';
import type { Sealing } from './base/sealing.ts';
import type { Tracing } from './base/tracing.ts';
import type { OpenPeople } from './doors/people.ts';
import { type AnchorParts, createAnchorJob } from './features/audit/anchor-heads.job.ts';
import { backUp } from './features/backups/back-up.job.ts';
import type { BackupSetup } from './features/backups/backup-tasks.ts';
import {
  insertJob,
  lockJob,
  updateHeartbeat,
  updateJobDone,
  updateLease,
} from './features/jobs/rows.ts';
import { mailExpiringKeys } from './features/keys/mail-expiring-keys.job.ts';
import { sendDueMail } from './features/mail/send-mail.job.ts';
import type { MailTransport } from './features/mail/transport.ts';
import { pruneFeed } from './features/policy/prune-feed.job.ts';
import { type RetireParts, retireKeys } from './features/policy/retire-keys.job.ts';

import { queueNotices } from './features/webhooks/queue-notices.job.ts';
import {
  createWebhookSender,
  type WebhookParts,
  type WebhookSender,
} from './features/webhooks/send-webhooks.job.ts';
import type { ObserveJob } from './observe/job-series.ts';
import { paces, purge, retention } from './retention.ts';
import { rotateSigningKeys, type SigningParts } from './signing/rotate-signing-key.ts';

export type WorkerParts = RetireParts &
  AnchorParts & {
    people: OpenPeople;
    transport: MailTransport;
    unseal: Sealing['unseal'];
    signing: SigningParts;
    webhooks: WebhookParts;
    expiryMail: boolean;
    publicUrl: string;
    usageHoursKeptDays: number;
    backup: BackupSetup;
    /**
     * Builds the search indexes. Absent or null on the embedded store, which has no search indexes.
     */
    prepareSearch?: (() => Promise<void>) | null | undefined;
    newId: NewId;
    log: Log;
    /** If absent, job runs are not counted. */
    observeJob?: ObserveJob | undefined;
    /** If null, job runs are not traced. */
    tracing?: Tracing | null;
  };

type Job = {
  name: string;
  everyMs: number;
  /** How long to wait before the first run in a new deployment; 0 if absent. */
  firstAfterMs?: number;
  run(): Promise<unknown>;
};

const LEASE_MS = 10 * MINUTE_MS;
const LOOK_FOR_DUE_MS = 15 * SECOND_MS;
const AFTER_FAULT_MS = SECOND_MS;
/**
 * How long a stopping worker waits for its jobs. A job that takes longer is abandoned; its claim or
 * lease expires.
 */
const STOP_WAIT_MS = 4 * SECOND_MS;

/** A single run of the worker. */
type WorkerRun = { workerId: string; stopping: AbortSignal; sender: WebhookSender };

/** The jobs that every worker runs. */
const steadyJobs = (parts: WorkerParts, { workerId, stopping, sender }: WorkerRun): Job[] => [
  {
    name: 'beat',
    everyMs: 5 * SECOND_MS,
    run: () => parts.work((tx) => updateHeartbeat(tx, workerId)),
  },
  {
    name: 'send-mail',
    everyMs: SECOND_MS / 2,
    run: async () => {
      const send = () => sendDueMail({ ...parts, newClaim: parts.newId });
      while (!stopping.aborted && (await send()));
    },
  },
  {
    name: 'send-webhooks',
    everyMs: SECOND_MS / 2,
    run: async () => {
      while (!stopping.aborted && (await sender.sendDue()));
    },
  },
];

/** The jobs that run in only one worker at a time. */
const scheduledJobs = ({ work, workIn, announce, signing, ...parts }: WorkerParts): Job[] => [
  ...Object.entries(paces).map(([pace, everyMs]) => ({
    name: `purge-${pace}`,
    everyMs,
    run: () =>
      purge(
        work,
        retention(parts).filter((row) => row.pace === pace),
      ),
  })),
  { name: 'queue-notices', everyMs: MINUTE_MS, run: () => queueNotices({ work, workIn }) },
  ...(parts.expiryMail
    ? [
        {
          name: 'mail-expiring-keys',
          everyMs: 24 * HOUR_MS,
          run: () => mailExpiringKeys({ work, readIn: parts.webhooks.readIn }),
        },
      ]
    : []),
  {
    name: 'retire-keys',
    everyMs: 10 * MINUTE_MS,
    run: () => retireKeys({ work, workIn, announce }),
  },
  {
    name: 'rotate-signing-keys',
    everyMs: MINUTE_MS,
    run: () => rotateSigningKeys(work, signing),
  },
  { name: 'anchor-heads', everyMs: MINUTE_MS, run: createAnchorJob({ work, ...parts }) },
  ...(parts.prepareSearch
    ? [{ name: 'prepare-search', everyMs: HOUR_MS, run: parts.prepareSearch }]
    : []),
  { name: 'prune-feed', everyMs: HOUR_MS, run: () => pruneFeed({ work, workIn }) },
  ...backupJobs({ work, ...parts }),
];

type BackupParts = Pick<WorkerParts, 'work' | 'backup' | 'log'>;

const backupJobs = ({ work, log, backup }: BackupParts): Job[] => {
  const { tasks, everyMs, operatorEmail } = backup;
  if (tasks === null || everyMs === null) return [];
  // The first backup starts after a few minutes, because an operator may just be trying out a new
  // deployment.
  const firstAfterMs = Math.min(everyMs, 10 * MINUTE_MS);
  const run = () => backUp({ work, log, tasks, operatorEmail });
  return [{ name: 'back-up', everyMs, firstAfterMs, run }];
};

export type Worker = { stop(): Promise<void> };

export function startWorker(parts: WorkerParts): Worker {
  const stop = new AbortController();
  const sender = createWebhookSender(parts.webhooks);
  const workerRun = { workerId: parts.newId(), stopping: stop.signal, sender };
  const observed = (job: Job): Job => ({
    ...job,
    run: parts.observeJob?.(job.name, job.run) ?? job.run,
  });
  // Steady jobs have no spans, because they look for work twice a second and mostly find none.
  const traced = (job: Job): Job => {
    const { tracing } = parts;
    const run = () => tracing?.around({ name: `job ${job.name}` }, job.run) ?? job.run();
    return { ...job, run };
  };
  const scheduled = scheduledJobs(parts)
    .map(observed)
    .map(traced)
    .map((job) => ({
      ...job,
      everyMs: LOOK_FOR_DUE_MS,
      run: () => runIfDue(parts, job, workerRun.workerId),
    }));
  const loops = [...steadyJobs(parts, workerRun).map(observed), ...scheduled].map((job) =>
    runAgainAndAgain(job, parts.log, stop.signal),
  );
  return {
    async stop() {
      stop.abort();
      const stopped = Promise.all([...loops, sender.stop()]);
      await Promise.race([stopped, sleep(STOP_WAIT_MS, undefined, { ref: false })]);
      parts.transport.close();
    },
  };
}

async function runIfDue({ work }: WorkerParts, job: Job, holder: string): Promise<void> {
  const { name, everyMs, firstAfterMs = 0 } = job;
  const isOurs = await work(async (tx) => {
    if (firstAfterMs > 0) await insertJob(tx, { name, holder, firstAfterMs });
    return lockJob(tx, { name, holder, leaseMs: LEASE_MS, everyMs });
  });
  if (!isOurs) return;
  // If a lease isn't extended, it expires, and another worker runs the job.
  const extend = () => work((tx) => updateLease(tx, { name, holder, leaseMs: LEASE_MS }));
  const extending = setInterval(() => void extend().catch(() => {}), LEASE_MS / 4);
  try {
    await job.run();
  } finally {
    clearInterval(extending);
  }
  await work((tx) => updateJobDone(tx, { name, holder, everyMs }));
}

/** A failed job is logged and retried; only the abort signal stops the loop. */
async function runAgainAndAgain(job: Job, log: Log, signal: AbortSignal): Promise<void> {
  const outage = createOutageLog(log, {
    begins: 'a job failed',
    ends: 'a job recovered',
    fields: { job: job.name },
  });
  while (!signal.aborted) {
    let pauseMs = job.everyMs;
    try {
      await job.run();
      outage.over();
    } catch (error) {
      outage.fault(error);
      pauseMs = Math.max(pauseMs, AFTER_FAULT_MS);
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
