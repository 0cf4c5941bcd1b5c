// A process that runs a node and nothing else. It reads one command per line from standard input
// and prints one line of JSON for each.
import { createInterface } from 'node:readline';
import { createKeyrail } from '../src/keyrail.ts';
import { PROJECT_ID } from './plane.ts';
import { secretKeyOf } from './rig.ts';

const [, , url = '', options = '{}'] = process.argv;
const node = createKeyrail({
  ...{ url, secretKey: secretKeyOf('live'), projectId: PROJECT_ID, telemetry: false },
  ...{ log: (_, message) => console.error(message), nodeName: 'program' },
  ...JSON.parse(options),
});

const FROZEN_MS_MIN = 3_000;
const LOOP_MS_MAX = 20_000;

/**
 * Decides in a tight loop until the process has been frozen. Returns `degraded` from the last
 * decision before the freeze and from the first one after it.
 */
function aroundFreeze(key: string): { before: boolean; after: boolean } | null {
  console.log(JSON.stringify('deciding'));
  const began = performance.now();
  let ended = began;
  let before = true;
  while (ended - began < LOOP_MS_MAX) {
    const starts = performance.now();
    const decision = node.verify(key);
    const degraded = decision.allowed ? decision.context.degraded : decision.degraded;
    if (starts - ended > FROZEN_MS_MIN) return { before, after: degraded };
    before = degraded;
    ended = performance.now();
    // The process may have been frozen during the decision.
    if (ended - starts > FROZEN_MS_MIN) return { before: false, after: node.state().degraded };
  }
  return null;
}

const acts: Record<string, (argument: string) => unknown> = {
  ready: () => node.ready(5_000),
  verify: (key) => node.verify(key).allowed,
  state: () => node.state(),
  aroundFreeze,
  close: () => node.close().then(() => true),
};
const lines = createInterface(process.stdin);
for await (const line of lines) {
  const [word = '', argument = ''] = line.split(' ');
  console.log(JSON.stringify(await acts[word]?.(argument)));
  if (word === 'close') lines.close();
}
