// A node with several URLs switches away from a URL that is down, frozen or cut off from the
// control plane, and returns to that URL once it recovers.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../test/manual-clock.ts';
import { createAddresses } from './addresses.ts';
import type { Outcome, Transport } from './transport.ts';

type State = 'up' | 'dead' | 'slow' | 'cut off' | 'refusing';

const unreachable = (reason: 'connect' | 'timeout' | 'aborted'): Outcome => ({
  kind: 'unreachable',
  hard: false,
  reason,
});
const refused = (status: number): Outcome => ({
  kind: 'refused',
  hard: status < 500,
  status,
  code: null,
  retryAfterMs: null,
});
const answered: Outcome = {
  kind: 'answer',
  status: 200,
  headers: new Headers(),
  body: {},
  bytes: 2,
};

/** `cut off`: a relay that is running but cannot reach the control plane. */
const outcomeOf = (state: State, path: string): Outcome => {
  if (state === 'dead') return unreachable('connect');
  if (path === '/readyz') return answered;
  if (state === 'slow') return unreachable('timeout');
  if (state === 'cut off') return refused(503);
  return state === 'refusing' ? refused(403) : answered;
};

function scene(...states: State[]) {
  const clock = manualClock();
  const asked: string[] = [];
  const transports = states.map(
    (_, at): Transport => ({
      send: async ({ path, signal }) => {
        asked.push(`${at} ${path}`);
        if (path !== '/held') return outcomeOf(states[at] ?? 'up', path);
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        return unreachable('aborted');
      },
    }),
  );
  const addresses = createAddresses({ transports, clock, chance: () => 0.5, log: () => {} });
  /** Returns the URL that requests currently go to. */
  const usedNow = async () => {
    asked.length = 0;
    await addresses.send({ method: 'GET', path: '/x', timeoutMs: 1 });
    await clock.pass(0);
    return asked.find((each) => each.endsWith('/x'));
  };
  return { clock, states, asked, addresses, usedNow };
}

test('a node switches from an unresponsive URL to the next one that responds', async () => {
  const { states, usedNow } = scene('up', 'dead', 'up');
  equal(await usedNow(), '0 /x');
  states[0] = 'dead';
  equal(await usedNow(), '0 /x', 'this request fails');
  equal(await usedNow(), '2 /x');
});

test('a single slow request does not make the node switch', async () => {
  const { usedNow } = scene('slow', 'up');
  for (let n = 0; n < 10; n += 1) equal(await usedNow(), '0 /x');
});

test('a node switches away from a relay that keeps failing to reach the control plane', async () => {
  const { usedNow } = scene('cut off', 'up');
  for (let n = 0; n < 4; n += 1) equal(await usedNow(), '0 /x');
  equal(await usedNow(), '1 /x');
});

test('a rejected request does not count against its URL', async () => {
  const { usedNow } = scene('refusing', 'up');
  for (let n = 0; n < 10; n += 1) equal(await usedNow(), '0 /x');
});

test('if no URL responds, the node stays on its current URL and keeps trying the others', async () => {
  const { states, usedNow } = scene('dead', 'dead');
  for (let n = 0; n < 3; n += 1) equal(await usedNow(), '0 /x');
  states[1] = 'up';
  equal(await usedNow(), '0 /x');
  equal(await usedNow(), '1 /x');
});

test('once the first URL is ready again, the node returns to it', async () => {
  const { clock, states, usedNow } = scene('dead', 'up');
  await usedNow();
  equal(await usedNow(), '1 /x');
  await clock.pass(30_000);
  equal(await usedNow(), '1 /x', 'it is still down');
  states[0] = 'up';
  await clock.pass(30_000);
  equal(await usedNow(), '0 /x');
  equal(clock.timers(), 0);
});

test('a held poll is aborted immediately when the node switches to another URL', async () => {
  const { states, addresses, asked, usedNow } = scene('up', 'up');
  const { signal } = new AbortController();
  const held = addresses.send({ method: 'GET', path: '/held', timeoutMs: 1, signal });
  states[0] = 'dead';
  await usedNow();
  deepEqual(await held, unreachable('aborted'));
  equal(await usedNow(), '1 /x');
  deepEqual(asked, ['1 /x']);
});

test('a node with only one URL never probes it', async () => {
  const { asked, usedNow } = scene('dead');
  await usedNow();
  deepEqual(asked, ['0 /x']);
});

test('a closed node probes no URLs', async () => {
  const { clock, addresses, usedNow } = scene('dead', 'up');
  await usedNow();
  addresses.close();
  equal(clock.timers(), 0);
});
