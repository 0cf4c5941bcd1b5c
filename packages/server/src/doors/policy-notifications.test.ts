// Policy changes wake waiting requests in all processes, even if a notification is lost.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled, setTimeout as sleep } from 'node:timers/promises';
import { openLog } from '../base/log.ts';
import type { Database, Listener } from '../db/database.ts';
import { createPolicyHub } from '../volatile/policy-hub.ts';
import type { PolicyVersion } from './door.ts';
import type { Gate } from './gate.ts';
import { openPolicyNotifications } from './policy-notifications.ts';

const LONG = { timeoutMs: 60_000, signal: new AbortController().signal };

/** Policy notifications on top of a store that records its calls and returns the given versions. */
function notificationsOver(
  parts: { versions?: PolicyVersion[]; notifyAll?: Gate['notifyAll'] } = {},
) {
  const called: string[][] = [];
  const asked: (readonly string[])[] = [];
  const listeners: Listener[] = [];
  const notifyAll: Gate['notifyAll'] = async (_channel, messages) => {
    called.push([...messages]);
  };
  const listen: Database['listen'] = (listener) => {
    listeners.push(listener);
    return { close: async () => {} };
  };
  const hub = createPolicyHub({ heldPollsMax: 2 });
  const notifications = openPolicyNotifications({
    hub,
    gate: { notifyAll: parts.notifyAll ?? notifyAll },
    findVersions: async (ids) => {
      asked.push(ids);
      return parts.versions ?? [];
    },
    db: { listen },
    log: openLog('silent', process.stderr),
  });
  return { hub, notifications, called, asked, listeners };
}

test('changes announced in one event-loop turn are sent together, with the highest version per project', async () => {
  const { notifications, called } = notificationsOver();
  notifications.announce([{ projectId: 'p', version: 7 }]);
  notifications.announce([{ projectId: 'p', version: 6 }]);
  notifications.announce([{ projectId: 'q', version: 2 }]);
  await settled();
  await settled();
  deepEqual(called, [['p 7', 'q 2']]);
  notifications.announce([{ projectId: 'p', version: 8 }]);
  await notifications.close();
  deepEqual(called, [['p 7', 'q 2'], ['p 8']], 'closing sends all pending notifications');
});

test('a change in this or another process wakes waiting requests immediately', async () => {
  const { hub, notifications, listeners } = notificationsOver();
  const own = hub.watch('p', 1, LONG);
  notifications.announce([{ projectId: 'p', version: 2 }]);
  await own.over;
  const others = hub.watch('p', 2, LONG);
  listeners[0]?.heard('p 3');
  await others.over;
  await notifications.close();
});

test('if a notification is lost, waiting requests wake about a second later', async () => {
  const versions = [{ projectId: 'p', version: 2 }];
  const { hub, notifications, asked } = notificationsOver({ versions });
  await sleep(1200);
  equal(asked.length, 0, 'no versions are read while no requests are waiting');
  await hub.watch('p', 1, LONG).over;
  deepEqual(asked[0], ['p']);
  await notifications.close();
});

test('a change succeeds even if its notification cannot be sent', async () => {
  const { hub, notifications } = notificationsOver({
    notifyAll: () => Promise.reject(new Error('down')),
  });
  const own = hub.watch('p', 1, LONG);
  notifications.announce([{ projectId: 'p', version: 2 }]);
  await own.over;
  await notifications.close();
});
