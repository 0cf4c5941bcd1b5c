// Runs a node in a process with little memory. Prints its state after the feed has failed.
import { createKeyrail } from '../src/keyrail.ts';
import { PROJECT_ID } from './plane.ts';
import { secretKeyOf } from './rig.ts';

const [, , url = ''] = process.argv;
const node = createKeyrail({
  ...{ url, secretKey: secretKeyOf('live'), projectId: PROJECT_ID, telemetry: false },
  log: () => {},
});
while (node.state().failure === null) await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify(node.state().failure));
await node.close();
