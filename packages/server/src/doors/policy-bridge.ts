// Carries the news that a policy has moved: to those who wait in this process at once, to other
// processes by the database's notification. A notification may be lost, so versions that someone
// waits for are also looked up once a second.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../base/duration.ts';
import type { Log } from '../base/log.ts';
import { outageLog } from '../base/outage.ts';
import type { Database } from '../db/database.ts';
import type { PolicyHub } from '../volatile/policy-hub.ts';
import type { PolicyVersion } from './door.ts';
import type { Gate } from './gate.ts';

const CHANNEL = 'kr_policy';

export type PolicyBridge = {
  announce(versions: readonly PolicyVersion[]): void;
  close(): Promise<void>;
};

export type BridgeParts = { hub: PolicyHub; gate: Gate; db: Database; log: Log };

export function openPolicyBridge({ hub, gate, db, log }: BridgeParts): PolicyBridge {
  const stopping = new AbortController();
  const untold = new Map<string, number>();
  let telling: Promise<unknown> = Promise.resolve();

  const ear = outageLog(log, {
    begins: 'the ear for policy changes was lost',
    ends: 'policy changes are heard again',
  });
  const listening = db.listen?.({
    channel: CHANNEL,
    heard(message) {
      const [projectId = '', version] = message.split(' ');
      hub.announce(projectId, Number(version));
    },
    onFault: ear.fault,
    onOpen: ear.over,
  });

  /** All that came up together goes out together, apart from the changes' own transactions. */
  async function tell(): Promise<void> {
    const news = [...untold].map(([projectId, version]) => `${projectId} ${version}`);
    untold.clear();
    await gate
      .callOut(CHANNEL, news)
      .catch((error) => log.warn({ error }, 'policy changes were not called out'));
  }

  async function lookNowAndThen(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Nobody is kept alive by looking: a program that has nothing else to do may end.
      await sleep(SECOND_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      const awaited = hub.awaited();
      if (awaited.length === 0 || stopping.signal.aborted) continue;
      const versions = await gate.findVersions(awaited).catch(() => []);
      for (const { projectId, version } of versions) hub.announce(projectId, version);
    }
  }

  const looking = lookNowAndThen();
  return {
    announce(versions) {
      for (const { projectId, version } of versions) {
        hub.announce(projectId, version);
        if (!listening) continue;
        if (untold.size === 0) telling = Promise.all([telling, nextTurn().then(tell)]);
        // Two commits may be heard of in the other order: the higher version is the news.
        untold.set(projectId, Math.max(version, untold.get(projectId) ?? 0));
      }
    },
    async close() {
      stopping.abort();
      await telling;
      await listening?.close();
      await looking;
    },
  };
}
