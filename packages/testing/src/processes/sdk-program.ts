// A vendor's program: one SDK node, called over an IPC channel. sdk-nodes.ts starts it with the
// options of the node as its only argument.
import { createKeyrail } from '../../../sdk/src/keyrail.ts';

const [, , options = '{}'] = process.argv;
const node = createKeyrail(JSON.parse(options));

type Message = { id: number; ask: string; key?: string; route?: RouteOptions };

process.on('message', ({ id, ask, key, route }: Message) => {
  const answers: Record<string, () => unknown> = {
    verify: () => {
      const decision = node.verify(key, route);
      return decision.allowed ? { ...decision, context: decision.context } : decision;
    },
    state: () => node.state(),
    ready: () => node.ready(),
    close: () => node.close(),
  };
  void Promise.resolve(answers[ask]?.()).then((said) => process.send?.({ id, said }));
});
// The parent process has exited.
process.on('disconnect', () => process.exit(0));

import type { RouteOptions } from '../../../sdk/src/api/route.ts';
