// Announces policy changes: directly to waiting requests in this process, and to other processes
// through a database notification. A notification can be lost, so the versions that requests are
// waiting for are also polled once a second.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../base/duration.ts';
import type { Log } from '../base/log.ts';
import { createOutageLog } from '../base/outage.ts';
import type { Database } from '../db/database.ts';
import type { PolicyHub } from '../volatile/policy-hub.ts';
import type { PolicyVersion } from './door.ts';
import type { Gate } from './gate.ts';

const CHANNEL = 'kr_policy';

type PolicyNotifications = {
  announce(versions: readonly PolicyVersion[]): void;
  close(): Promise<void>;
};

type NotificationParts = {
  hub: PolicyHub;
  gate: Pick<Gate, 'notifyAll'>;
  findVersions(projectIds: readonly string[]): Promise<PolicyVersion[]>;
  db: Pick<Database, 'listen'>;
  log: Log;
};

export function openPolicyNotifications({
  hub,
  gate,
  findVersions,
  db,
  log,
}: NotificationParts): PolicyNotifications {
  const stopping = new AbortController();
  const pending = new Map<string, number>();
  let notifying: Promise<unknown> = Promise.resolve();

  const outage = createOutageLog(log, {
    begins: 'lost the LISTEN connection for policy changes; polling every second',
    ends: 'resumed listening for policy changes',
  });
  const listening = db.listen?.({
    channel: CHANNEL,
    heard(message) {
      const [projectId = '', version] = message.split(' ');
      hub.announce(projectId, Number(version));
    },
    onFault: outage.fault,
    onOpen: outage.over,
  });

  /** Sends all pending changes in one statement, outside the transactions that made them. */
  async function notify(): Promise<void> {
    const messages = [...pending].map(([projectId, version]) => `${projectId} ${version}`);
    pending.clear();
    await gate
      .notifyAll(CHANNEL, messages)
      .catch((error) => log.warn({ error }, 'failed to notify other processes of policy changes'));
  }

  async function pollVersions(): Promise<void> {
    while (!stopping.signal.aborted) {
      // `ref` is off, so that this timer does not keep the process alive.
      await sleep(SECOND_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      const awaited = hub.awaited();
      if (awaited.length === 0 || stopping.signal.aborted) continue;
      const versions = await findVersions(awaited).catch(() => []);
      for (const { projectId, version } of versions) hub.announce(projectId, version);
    }
  }

  const looking = pollVersions();
  return {
    announce(versions) {
      for (const { projectId, version } of versions) {
        hub.announce(projectId, version);
        if (!listening) continue;
        if (pending.size === 0) notifying = Promise.all([notifying, nextTurn().then(notify)]);
        // Commits may be announced out of order, so the higher version is kept.
        pending.set(projectId, Math.max(version, pending.get(projectId) ?? 0));
      }
    },
    async close() {
      stopping.abort();
      await notifying;
      await listening?.close();
      await looking;
    },
  };
}
