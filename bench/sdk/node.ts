// One SDK node in its own process: loads a policy, then alternates between decisions and lookups in
// a `Map`.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import type { KeyrailOptions } from '../../packages/sdk/src/api/options.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { runCommands } from '../load/worker-loop.ts';
import { createKeyMap } from './key-map.ts';
import { BENCH_PROJECT, keyOf } from './keys.ts';
import type { Loaded } from './loading.ts';

type Kind = 'decide' | 'find';

export type NodeCommand = { kind: 'load'; port: number; keys: number } | { kind: Kind; ms: number };

/**
 * A rate per second, and per second of the thread's CPU time, which other programs don't affect.
 */
export type Timed = { kind: Kind; perSecond: number; perCpuSecond: number };

const READY_MS_MAX = 300_000;
/**
 * The decisions are spread evenly over at most this many keys, which is more than any CPU cache can
 * hold.
 */
const SAMPLE_MAX = 200_000;
const BATCH = 256;
const SETTLE_MS = 50;
const ROUTE = { scopes: [] };

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

let node: Keyrail | null = null;
let keyMap = createKeyMap(0);
let texts: string[] = [];
let sink: unknown;

/** Waits for one turn of the event loop, because some memory is only released then. */
async function bytesInUse(): Promise<number> {
  for (let n = 0; n < 5; n += 1) {
    collect();
    await sleep(SETTLE_MS);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function load({ port, keys }: { port: number; keys: number }): Promise<Loaded> {
  const { secret: secretKey } = mintCredential('secret_key', 'live', randomBytes);
  const url = `http://127.0.0.1:${port}`;
  const options = { url, secretKey, projectId: BENCH_PROJECT, telemetry: false };
  // The first call makes Node.js load `fetch`.
  await fetch(url, { method: 'POST' });
  const cpu = process.cpuUsage();
  const beganAt = performance.now();
  node = createKeyrail(options);
  if (!(await node.ready(READY_MS_MAX))) throw new Error('the node received no policy');
  const wallMs = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(cpu);
  const { blockedMs, bytesPerKey } = await loadSecond(options, keys);
  const count = Math.min(keys, SAMPLE_MAX);
  // The step is a prime number, so that the sample is spread over all keys.
  texts = Array.from({ length: count }, (_, at) => flat(keyOf((at * 7_919) % keys).secret));
  keyMap = createKeyMap(keys);
  return { cpuMs: (user + system) / 1000, wallMs, blockedMs, bytesPerKey };
}

/**
 * Loads the same policy into a second node, to measure the node's memory and how long loading
 * blocks the event loop. The blocked time is CPU time, so other programs don't count. The first
 * node's memory isn't measured, because forced garbage collections would make V8 collect more often
 * afterwards.
 */
async function loadSecond(
  options: KeyrailOptions,
  keys: number,
): Promise<Pick<Loaded, 'blockedMs' | 'bytesPerKey'>> {
  const before = await bytesInUse();
  const second = createKeyrail(options);
  let longest = 0;
  let isOver = false;
  let last = process.threadCpuUsage();
  const tick = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - last.user - last.system);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  tick();
  await second.ready(READY_MS_MAX);
  isOver = true;
  const bytesPerKey = ((await bytesInUse()) - before) / keys;
  await second.close();
  return { blockedMs: longest / 1000, bytesPerKey };
}

/**
 * Copies a concatenated string into a flat one, like a header value. V8 would otherwise have to
 * flatten the string before hashing it.
 */
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

const actions: Record<Kind, (text: string) => void> = {
  decide: (text: string) => {
    sink = node?.verify(text, ROUTE);
  },
  find: (text: string) => {
    sink = keyMap.get(text);
  },
};

let at = 0;
function count(kind: Kind, ms: number): Timed {
  const act = actions[kind];
  const beganAt = performance.now();
  const before = process.threadCpuUsage();
  let done = 0;
  for (;;) {
    for (let n = 0; n < BATCH; n += 1) {
      act(texts[at] ?? '');
      at = at + 1 < texts.length ? at + 1 : 0;
    }
    done += BATCH;
    const tookMs = performance.now() - beganAt;
    if (tookMs < ms) continue;
    const { user, system } = process.threadCpuUsage();
    const cpuMs = (user + system - before.user - before.system) / 1000;
    return { kind, perSecond: (done / tookMs) * 1000, perCpuSecond: (done / cpuMs) * 1000 };
  }
}

runCommands(async (command: NodeCommand): Promise<Loaded | Timed> => {
  if (command.kind === 'load') return load(command);
  const timed = count(command.kind, command.ms);
  const last = Object(sink);
  if (last.allowed === false) throw new Error(`a key was rejected: ${last.reason}`);
  if (sink === undefined) throw new Error('the Map is missing a key');
  return timed;
});
