// A program with only a node. It reads one command per line from standard input and prints one line
// of JSON for each.
import { createInterface } from 'node:readline';
import { createKeyrail } from '../src/keyrail.ts';
import { PROJECT_ID } from './plane.ts';
import { secretKeyOf } from './rig.ts';

const [, , url = '', cacheDir] = process.argv;
const node = createKeyrail({
  ...{ url, secretKey: secretKeyOf('live'), projectId: PROJECT_ID, cacheDir, telemetry: false },
  ...{ log: (_, message) => console.error(message), nodeName: 'program' },
});

const acts: Record<string, (argument: string) => unknown> = {
  ready: () => node.ready(5_000),
  verify: (key) => node.verify(key).allowed,
  state: () => node.state(),
  close: () => node.close().then(() => true),
};
const lines = createInterface(process.stdin);
for await (const line of lines) {
  const [word = '', argument = ''] = line.split(' ');
  console.log(JSON.stringify(await acts[word]?.(argument)));
  if (word === 'close') lines.close();
}
