// One node of the SDK in a process of its own: loads a policy, then decides and hashes in turns.
import { createHash, hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mintCredential } from '@keyrail/protocol/key-format.ts';
import { createKeyrail } from '../packages/sdk/src/keyrail.ts';
import type { KeyrailOptions } from '../packages/sdk/src/options.ts';
import type { Keyrail } from '../packages/sdk/src/parts.ts';
import { BENCH_PROJECT, keyOf } from './sdk-keys.ts';

export type NodeOrder =
  | { kind: 'load'; port: number; keys: number }
  | { kind: 'decide' | 'hash' | 'bytes'; ms: number };

export type Loaded = { cpuMs: number; wallMs: number; blockedMs: number; bytesPerKey: number };
export type Counted = { perSecond: number };
/** By the processor time of the one thread too: what other programs take away is not in it. */
export type Timed = Counted & { perCpuSecond: number };

const READY_MS_MAX = 300_000;
/** More than any cache holds, and each key as likely as another. */
const SAMPLE_MAX = 200_000;
const BATCH = 256;
const SETTLE_MS = 50;
const ROUTE = { scopes: [] };

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

let node: Keyrail | null = null;
let texts: string[] = [];
let sink: unknown;

/** Some things are let go of only when the event loop turns. */
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
  // The runtime loads its fetch on first use.
  await fetch(url, { method: 'POST' });
  const cpu = process.cpuUsage();
  const beganAt = performance.now();
  node = createKeyrail(options);
  if (!(await node.ready(READY_MS_MAX))) throw new Error('no policy came');
  const wallMs = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(cpu);
  const { blockedMs, bytesPerKey } = await loadSecond(options, keys);
  const count = Math.min(keys, SAMPLE_MAX);
  // Spread over all of them by a step that has no factor in common with any round number.
  texts = Array.from({ length: count }, (_, at) => flat(keyOf((at * 7_919) % keys).secret));
  return { cpuMs: (user + system) / 1000, wallMs, blockedMs, bytesPerKey };
}

/**
 * A second node loads the same: how much more is in use then, and the most that the main thread
 * worked between two turns of the event loop meanwhile. That is counted in its processor time,
 * because other programs are not our doing. The first node is timed without either: who has just
 * asked for collections is given many more of them.
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

/** As a header's value is: one piece, and not the sum of others. */
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

const acts = {
  decide: (text: string) => {
    sink = node?.verify(text, ROUTE);
  },
  // The call that is in a decision, on the same texts in the same order. (The decision makes it on
  // the bytes of the text, which it has at hand; for who has but the text this is quickest.)
  hash: (text: string) => {
    sink = hash('sha256', text, 'binary');
  },
  // As one would usually write it.
  bytes: (text: string) => {
    sink = createHash('sha256').update(text).digest();
  },
};

let at = 0;
function count(act: (text: string) => void, ms: number): Timed {
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
    return { perSecond: (done / tookMs) * 1000, perCpuSecond: (done / cpuMs) * 1000 };
  }
}

process.on('message', (order: NodeOrder) => {
  const work = async () =>
    order.kind === 'load' ? load(order) : count(acts[order.kind], order.ms);
  work().then(
    (result) => {
      const last = Object(sink);
      if (last.allowed === false) process.send?.({ fault: `a key was refused: ${last.reason}` });
      else process.send?.({ result });
    },
    (error: unknown) => process.send?.({ fault: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
