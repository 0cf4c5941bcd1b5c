// A vendor's app: one SDK node, called over an IPC channel. sdk-nodes.ts starts it with the node's
// options as the only argument.
import { createKeyrail } from '../../../sdk/src/keyrail.ts';

const [, , options = '{}'] = process.argv;
const node = createKeyrail(JSON.parse(options));

type Message = { id: number; ask: string; key?: string; route?: RouteOptions; times?: number };

/**
 * Sends requests one after another, in the form in which a handler receives them, and returns how
 * many are allowed.
 */
async function admitted(key = '', times = 0): Promise<number> {
  const header = (name: string) => (name === 'authorization' ? `Bearer ${key}` : undefined);
  let count = 0;
  for (let n = 0; n < times; n += 1) {
    const call = { method: 'GET', path: '/', header, bodyBytes: () => new Uint8Array() };
    if ((await node.admit(call)).kind === 'admitted') count += 1;
  }
  return count;
}

process.on('message', ({ id, ask, key, route, times }: Message) => {
  const answers: Record<string, () => unknown> = {
    verify: () => {
      const decision = node.verify(key, route);
      return decision.allowed ? { ...decision, context: decision.context } : decision;
    },
    admit: () => admitted(key, times),
    state: () => node.state(),
    ready: () => node.ready(),
    close: () => node.close(),
  };
  void Promise.resolve(answers[ask]?.()).then((said) => process.send?.({ id, said }));
});
// The parent process has exited.
process.on('disconnect', () => process.exit(0));

import type { RouteOptions } from '../../../sdk/src/api/route.ts';
