// A connection to Redis (a single server or a Cluster) that fails fast: it queues no commands while
// it is down, never sends a command twice, and reconnects if the server doesn't respond.
import { lookup } from 'node:dns';
import { Cluster, type ClusterOptions, Command, Redis, type RedisOptions } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import { redisAddresses } from './redis-addresses.ts';
import type { MemoryReport } from './redis-memory.ts';

type LinkParts = {
  /** redis://, rediss:// or unix:<path>; for a Cluster, possibly with several hosts. */
  url: string;
  isCluster: boolean;
  /**
   * How long a caller waits for a response, at most. The connection's own timeouts are at least as
   * long.
   */
  answerMsMax: number;
  onFault(error: Error): void;
  onReady(): void;
};

export type Link = {
  evalsha(hash: string, keys: number, args: (string | number)[]): Promise<unknown>;
  eval(script: string, keys: number, args: (string | number)[]): Promise<unknown>;
  /**
   * The servers that store counters. A single server is `''`, and so is a Cluster until its servers
   * are known.
   */
  servers(): string[];
  /** The server that stores a counter. */
  serverOf(name: string): string;
  /** Writes a small key on a server. */
  pulse(server: string): Promise<void>;
  /** The `INFO memory` output of every server that stores counters. */
  memory(): Promise<MemoryReport>[];
  close(): void;
};

const CONNECT_MS_MAX = 1000;
const SILENT_MS_MAX = 2000;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;
const SLOTS_REFRESH_MS = 5000;
const REDIRECTIONS_MAX = 3;
const TRY_AGAIN_MS = 5;
const PULSE = 'kr:pulse';
const PULSE_KEPT_MS = 60_000;
/**
 * The maximum number of key names that a pulse tries in search of one stored on its server. This
 * takes about a millisecond.
 */
const PULSE_NAMES_TRIED_MAX = 500;

const retryMs = (times: number): number =>
  Math.min(RETRY_MS_MIN * 2 ** Math.min(times - 1, 10), RETRY_MS_MAX);

const optionsOf = (answerMsMax: number) =>
  ({
    connectTimeout: Math.max(CONNECT_MS_MAX, answerMsMax),
    socketTimeout: Math.max(SILENT_MS_MAX, answerMsMax),
    enableOfflineQueue: false,
    // A charge whose response was lost may have been made, so the client must not send it again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: retryMs,
  }) satisfies RedisOptions;

/**
 * A demoted primary refuses writes. Reconnecting resolves the host name again, which finds the new
 * primary.
 */
function redialWhenReadOnly(): (error: Error) => boolean {
  let dialledAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    // Several commands rejected together cause only one reconnect.
    if (!message.startsWith('READONLY') || monotonicMs() - dialledAtMs < RETRY_MS_MAX) return false;
    dialledAtMs = monotonicMs();
    return true;
  };
}

export function openLink(parts: LinkParts): Link {
  const client = parts.isCluster ? clusterOf(parts) : singleOf(parts);
  client.on('error', parts.onFault);
  client.on('ready', parts.onReady);
  return {
    evalsha: (hash, keys, args) =>
      followed(client, client.evalsha(hash, keys, ...args), () => ['evalsha', hash, keys, ...args]),
    eval: (script, keys, args) =>
      followed(client, client.eval(script, keys, ...args), () => ['eval', script, keys, ...args]),
    ...(client instanceof Cluster ? pulsesOf(client) : pulseOf(client)),
    close: () => client.disconnect(),
  };
}

type Pulses = Pick<Link, 'servers' | 'serverOf' | 'pulse' | 'memory'>;

const ONLY = '';

const reportOf = async (client: Redis, server: string): Promise<MemoryReport> => ({
  server,
  text: await client.info('memory'),
});

/** A Cluster primary is named by its address, as in the client's table of slots. */
const nameOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

const pulseOf = (client: Redis): Pulses => ({
  servers: () => [ONLY],
  serverOf: () => ONLY,
  pulse: async () => void (await client.set(PULSE, 1, 'PX', PULSE_KEPT_MS)),
  memory: () => [reportOf(client, ONLY)],
});

function pulsesOf(client: Cluster): Pulses {
  const tried = new Map<string, number>();
  const serverOf = (name: string): string =>
    client.slots[new Command('get', [name]).getSlot()]?.[0] ?? ONLY;

  /**
   * Finds a key name whose slot is on the server. Null if the next pulse has to try more names,
   * which happens on a server with few slots.
   */
  function pulseNameOn(server: string): string | null {
    const first = tried.get(server) ?? 0;
    for (let at = first; at < first + PULSE_NAMES_TRIED_MAX; at += 1) {
      tried.set(server, at);
      const name = `${PULSE}:${at}`;
      if (serverOf(name) === server) return name;
    }
    return null;
  }

  return {
    servers() {
      const masters = new Set<string>();
      // A slot without a server is missing from the list.
      for (const nodes of client.slots) if (nodes?.[0]) masters.add(nodes[0]);
      for (const server of tried.keys()) if (!masters.has(server)) tried.delete(server);
      return masters.size === 0 ? [ONLY] : [...masters];
    },
    serverOf,
    async pulse(server) {
      const node = client.nodes('master').find((one) => nameOf(one) === server);
      // The ping comes first, because commands sent while a connection is being opened are
      // rejected.
      await node?.ping();
      const name = pulseNameOn(server);
      if (name) await client.set(name, 1, 'PX', PULSE_KEPT_MS);
    },
    memory: () => client.nodes('master').map((one) => reportOf(one, nameOf(one))),
  };
}

/**
 * Errors for commands that did not run: the node redirected to a different one, or the client
 * noticed before sending that slots had moved.
 */
const NOT_DONE = /^(MOVED|ASK|TRYAGAIN) |same slots allocation group$/;

/**
 * Commands to a Cluster are pipelined. If only some of the commands in a pipeline are redirected,
 * the client does not follow the redirects, so each of these commands is sent again on its own.
 */
const followed = (
  client: Redis | Cluster,
  sent: Promise<unknown>,
  words: () => [name: string, ...args: (string | number)[]],
): Promise<unknown> =>
  client instanceof Cluster
    ? sent.catch((fault) => {
        if (!(fault instanceof Error && NOT_DONE.test(fault.message))) throw fault;
        const [name, ...args] = words();
        return client.sendCommand(new Command(name, args, { replyEncoding: 'utf8' }));
      })
    : sent;

function singleOf({ url, answerMsMax }: LinkParts): Redis {
  const path = pathIn(url);
  const own = { ...optionsOf(answerMsMax), reconnectOnError: redialWhenReadOnly() };
  return path === null ? new Redis(url, own) : new Redis({ ...own, path });
}

/** The client tries the configured nodes until one of them returns the slot table. */
function clusterOf({ url, answerMsMax }: LinkParts): Cluster {
  const urls = redisAddresses(url).map((each) => new URL(each));
  const [{ username, password, protocol } = new URL(url)] = urls;
  const { retryStrategy: _, ...node } = optionsOf(answerMsMax);
  return new Cluster(urls.map(nodeAt), {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    clusterRetryStrategy: retryMs,
    retryDelayOnFailover: 0, // a command sent again could run twice
    maxRedirections: REDIRECTIONS_MAX,
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // With TLS, names are not resolved here, because a certificate contains the host name, not the
    // IP address.
    dnsLookup: protocol === 'rediss:' ? (name, found) => found(null, name) : addressOrName,
    redisOptions: {
      ...node,
      reconnectOnError: redialWhenReadOnly(),
      ...(protocol === 'rediss:' && { tls: {} }),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
    },
  });
}

const DEFAULT_PORT = 6379;

const nodeAt = ({ hostname, port }: URL) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || DEFAULT_PORT),
});

/** A name that cannot be resolved must not prevent connections to the other nodes. */
const addressOrName: NonNullable<ClusterOptions['dnsLookup']> = (name, found) =>
  lookup(name, (fault, address) => found(null, fault ? name : address));

export const pathIn = (url: string): string | null =>
  url.startsWith('unix:') ? url.slice('unix:'.length).replace(/^\/\/(?=\/)/, '') : null;
