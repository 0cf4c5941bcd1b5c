// SDK nodes in their own processes, the way a vendor runs them.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Decision } from '../../../sdk/src/api/decision.ts';
import type { KeyrailState } from '../../../sdk/src/api/keyrail.ts';
import type { KeyrailOptions } from '../../../sdk/src/api/options.ts';
import type { RouteOptions } from '../../../sdk/src/api/route.ts';

const PROGRAM = join(import.meta.dirname, 'sdk-program.ts');

export type NodeProcess = {
  /** `allowed`, or the denial reason. */
  verdict(key: string, route?: RouteOptions): Promise<string>;
  verify(key: string, route?: RouteOptions): Promise<Decision>;
  /** Sends this many requests with the key; returns how many are allowed. */
  admit(key: string, times: number): Promise<number>;
  state(): Promise<KeyrailState>;
  ready(): Promise<boolean>;
  /** Stops the node gracefully. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
};

/** Telemetry is off, because only the feed is under test. */
export function startSdkNode(options: KeyrailOptions, env: NodeJS.ProcessEnv = {}): NodeProcess {
  const whole = JSON.stringify({ telemetry: false, ...options });
  const child = fork(PROGRAM, [whole], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, ...env },
  });
  const waiting = new Map<number, (said: unknown) => void>();
  let asked = 0;
  child.on('message', (message) => {
    const { id, said } = Object(message);
    waiting.get(id)?.(said);
    waiting.delete(id);
  });
  const ask = (what: string, more: object = {}): Promise<never> =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, (said) => resolve(said as never)); // sdk-program.ts sends this type
      child.send({ id: asked, ask: what, ...more }, (error) => error && reject(error));
    });
  const verify = (key: string, route: RouteOptions = {}): Promise<Decision> =>
    ask('verify', { key, route });
  return {
    verify,
    verdict: async (key, route) => {
      const decision = await verify(key, route);
      return decision.allowed ? 'allowed' : decision.reason;
    },
    admit: (key, times) => ask('admit', { key, times }),
    state: () => ask('state'),
    ready: () => ask('ready'),
    stop: async () => {
      await ask('close');
      await ended(child, 'SIGTERM');
    },
    kill: () => ended(child, 'SIGKILL'),
    signal: (name) => void child.kill(name),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
