// What a program holds on to, for tests that nothing grows without end.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After a collection: what nobody has collected yet is not held. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
