// The SDK: a decision compared with the one hash in it, memory and time for a million keys,
// better-auth's API-key plugin in the same run, and Express with and without Keyrail.
// BENCH_SDK_KEYS sets the number of keys.
import { openPeerServer, openWorker, type Worker } from './children.ts';
import { underLoad } from './contestants.ts';
import { openPostgres } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { read } from './requests.ts';
import { judge, rate, ratios, spread, takeTurns } from './rounds.ts';
import type { PeerOrder } from './sdk-better-auth.ts';
import { keyOf } from './sdk-keys.ts';
import type { Counted, Loaded, NodeOrder, Timed } from './sdk-node.ts';
import { type Stoppable, stopAll } from './stop.ts';
import type { Finding } from './table.ts';

const MANY = Number(process.env.BENCH_SDK_KEYS ?? 1_000_000);
const FEW = 1000;
const HASH_RATIO_MAX = 2;
const PEER_RATIO_MIN = 1000;
const BYTES_PER_KEY_MAX = 128;
const LOAD_MS_MAX = 10_000;
const BLOCKED_MS_MAX = 50;
const EXPRESS_RATIO_MIN = 0.85;
const LOAD_WAIT_MS = 300_000;
const WARM_UP_MS = 1_000;
const LAP_MS = 100;
const LAPS = 41;
const PEER_LAP_MS = 200;

type Node = Worker<NodeOrder, Loaded & Timed>;

export async function measureSdk(): Promise<Finding[]> {
  const opened: Stoppable[] = [];
  try {
    const store = await openPostgres();
    opened.push(store);
    const peers: Peers = {
      onPostgres: await openWorker('sdk-better-auth.ts', { BENCH_URL: store.url }),
      inMemory: await openWorker('sdk-better-auth.ts'),
    };
    opened.push(peers.onPostgres, peers.inMemory);
    const findings: Finding[] = [];
    for (const keys of [FEW, MANY]) {
      const settings = { BENCH_KEYS: String(keys) };
      const feed = await openPeerServer('sdk-feed-server.ts', settings, LOAD_WAIT_MS);
      opened.push(feed);
      const node: Node = await openWorker('sdk-node.ts');
      opened.push(node);
      const loaded = await node.ask({ kind: 'load', port: feed.port, keys }, LOAD_WAIT_MS);
      if (keys === MANY) findings.push(...loadFindings(keys, loaded));
      findings.push(...(await decisions(keys, node, peers)));
      await node.stop();
      if (keys === FEW) findings.push(await measureExpress(feed.port));
      await feed.stop();
    }
    return findings;
  } finally {
    await stopAll(opened);
  }
}

const loadFindings = (keys: number, loaded: Loaded): Finding[] => {
  const { bytesPerKey, cpuMs, wallMs, blockedMs } = loaded;
  const nothing = { peer: '-', ratio: '-' };
  return [
    {
      name: `sdk: memory for each of ${keys} keys`,
      ours: `${bytesPerKey.toFixed(1)} bytes`,
      ...nothing,
      target: `< ${BYTES_PER_KEY_MAX} bytes`,
      met: bytesPerKey < BYTES_PER_KEY_MAX,
    },
    {
      name: `sdk: work to load ${keys} keys`,
      ours: `${(cpuMs / 1000).toFixed(1)} s of CPU in ${(wallMs / 1000).toFixed(1)} s`,
      ...nothing,
      target: `<= ${LOAD_MS_MAX / 1000} s of CPU`,
      met: cpuMs <= LOAD_MS_MAX,
    },
    {
      name: 'sdk: longest block of the event loop meanwhile',
      ours: `${blockedMs.toFixed(0)} ms`,
      ...nothing,
      target: `<= ${BLOCKED_MS_MAX} ms`,
      met: blockedMs <= BLOCKED_MS_MAX,
    },
  ];
};

type Peers = Record<'onPostgres' | 'inMemory', Worker<PeerOrder, Counted>>;

async function decisions(keys: number, node: Node, peers: Peers): Promise<Finding[]> {
  const decide: number[] = [];
  /** Compared by CPU time, because none of them waits. */
  const work: Record<'decide' | 'hash' | 'bytes', number[]> = { decide: [], hash: [], bytes: [] };
  const laps: Record<keyof Peers, number[]> = { onPostgres: [], inMemory: [] };
  const lap = (kind: keyof typeof work, ms: number) => node.ask({ kind, ms }, ms);
  await lap('hash', WARM_UP_MS);
  await lap('decide', WARM_UP_MS);
  await lap('bytes', WARM_UP_MS);
  for (let round = 0; round < LAPS; round += 1) {
    for (const kind of ['hash', 'decide', 'bytes'] as const) {
      const { perSecond, perCpuSecond } = await lap(kind, LAP_MS);
      work[kind].push(perCpuSecond);
      if (kind === 'decide') decide.push(perSecond);
    }
    for (const name of ['onPostgres', 'inMemory'] as const) {
      laps[name].push((await peers[name].ask({ ms: PEER_LAP_MS }, PEER_LAP_MS)).perSecond);
    }
  }
  const cost = ratios(work.hash, work.decide);
  const beside = (name: keyof Peers, shown: string): Finding => {
    const gain = ratios(decide, laps[name]);
    return {
      name: `sdk: the same beside better-auth ${shown}`,
      ours: spread(decide, rate),
      peer: spread(laps[name], rate),
      ratio: spread(gain, (value) => value.toFixed(0)),
      target: name === 'onPostgres' ? `>= ${PEER_RATIO_MIN}` : 'context',
      met: name === 'onPostgres' ? judge(gain, (value) => value >= PEER_RATIO_MIN) : null,
    };
  };
  return [
    {
      name: `sdk: a decision among ${keys} keys`,
      ours: spread(work.decide, rate),
      peer: `its one SHA-256 ${spread(work.hash, rate)}`,
      ratio: `${spread(cost, (value) => value.toFixed(2))} of its cost`,
      target: `<= ${HASH_RATIO_MAX.toFixed(2)}`,
      met: judge(cost, (value) => value <= HASH_RATIO_MAX),
    },
    {
      name: 'sdk: the same beside SHA-256 as it is usually written',
      ours: spread(work.decide, rate),
      peer: `createHash ${spread(work.bytes, rate)}`,
      ratio: `${spread(ratios(work.bytes, work.decide), (value) => value.toFixed(2))} of its cost`,
      target: 'context',
      met: null,
    },
    beside('onPostgres', 'on PostgreSQL'),
    beside('inMemory', 'in memory'),
  ];
}

async function measureExpress(feedPort: number): Promise<Finding> {
  const opened: Stoppable[] = [];
  try {
    const bare = await openPeerServer('sdk-express.ts');
    opened.push(bare);
    const guarded = await openPeerServer('sdk-express.ts', { BENCH_FEED: String(feedPort) });
    opened.push(guarded);
    const loader = await openLoader();
    opened.push(loader);
    const request = read('/', keyOf(0).secret);
    const laps = await takeTurns<'protected' | 'bare'>([
      underLoad(loader, { name: 'protected', server: guarded, request }),
      underLoad(loader, { name: 'bare', server: bare, request }),
    ]);
    const against = ratios(laps.protected, laps.bare);
    return {
      name: 'sdk: Express, hello world, protected',
      ours: spread(laps.protected, rate),
      peer: `bare ${spread(laps.bare, rate)}`,
      ratio: spread(against, (value) => value.toFixed(2)),
      target: `>= ${EXPRESS_RATIO_MIN.toFixed(2)}`,
      met: judge(against, (value) => value >= EXPRESS_RATIO_MIN),
    };
  } finally {
    await stopAll(opened);
  }
}
