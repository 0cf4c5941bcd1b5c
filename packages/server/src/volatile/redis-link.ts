// A connection to Redis, one server or a Cluster, that fails fast: commands are not queued while it
// is down and never sent twice, and it reconnects if the server does not answer.
import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';

type LinkParts = {
  /** redis://, rediss:// or unix:<path>. */
  url: string;
  isCluster: boolean;
  onFault(error: Error): void;
  onReady(): void;
};

export type Link = {
  evalsha(hash: string, keys: number, args: (string | number)[]): Promise<unknown>;
  eval(script: string, keys: number, args: (string | number)[]): Promise<unknown>;
  /** Writes a small key. On a Cluster it also pings every master. */
  pulse(): Promise<void>;
  /** `INFO memory` of every server that holds counters. */
  memory(): Promise<string[]>;
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

const retryMs = (times: number): number =>
  Math.min(RETRY_MS_MIN * 2 ** Math.min(times - 1, 10), RETRY_MS_MAX);

const options = {
  connectTimeout: CONNECT_MS_MAX,
  socketTimeout: SILENT_MS_MAX,
  enableOfflineQueue: false,
  // A charge whose answer was lost may have been made, so the client must not send it again.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: retryMs,
} satisfies RedisOptions;

/** A demoted master refuses writes. A reconnect resolves its name again, to the new master. */
function redialWhenReadOnly(): (error: Error) => boolean {
  let dialledAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    // Commands that are refused together cause one reconnect.
    if (!message.startsWith('READONLY') || monotonicMs() - dialledAtMs < RETRY_MS_MAX) return false;
    dialledAtMs = monotonicMs();
    return true;
  };
}

export function openLink(parts: LinkParts): Link {
  const client = parts.isCluster ? clusterOf(parts.url) : singleOf(parts.url);
  client.on('error', parts.onFault);
  client.on('ready', parts.onReady);
  return {
    evalsha: (hash, keys, args) =>
      followed(client, client.evalsha(hash, keys, ...args), () => ['evalsha', hash, keys, ...args]),
    eval: (script, keys, args) =>
      followed(client, client.eval(script, keys, ...args), () => ['eval', script, keys, ...args]),
    pulse: async () => {
      // Pings come first: commands sent while a connection is being opened are refused.
      if (client instanceof Cluster) {
        await Promise.all(client.nodes('master').map((one) => one.ping()));
      }
      await client.set(PULSE, 1, 'PX', PULSE_KEPT_MS);
    },
    memory: () => {
      const servers = client instanceof Cluster ? client.nodes('master') : [client];
      return Promise.all(servers.map((one) => one.info('memory')));
    },
    close: () => client.disconnect(),
  };
}

/** A node redirects to another one, or the client noticed moved slots before it sent. */
const NOT_DONE = /^(MOVED|ASK|TRYAGAIN) |same slots allocation group$/;

/**
 * Commands to a Cluster are pipelined. If only some commands of a pipeline are redirected, the
 * client does not follow, so each of them is sent again by itself.
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

function singleOf(url: string): Redis {
  const path = pathIn(url);
  const own = { ...options, reconnectOnError: redialWhenReadOnly() };
  return path === null ? new Redis(url, own) : new Redis({ ...own, path });
}

function clusterOf(url: string): Cluster {
  const { hostname, port, username, password, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { retryStrategy: _, ...node } = options;
  return new Cluster([{ host, port: Number(port || DEFAULT_PORT) }], {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    clusterRetryStrategy: retryMs,
    retryDelayOnFailover: 0, // a command that it would resend may have run
    maxRedirections: REDIRECTIONS_MAX,
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // A certificate contains the host name, not its address.
    ...(protocol === 'rediss:' && { dnsLookup: (address, found) => found(null, address) }),
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

const pathIn = (url: string): string | null =>
  url.startsWith('unix:') ? url.slice('unix:'.length).replace(/^\/\/(?=\/)/, '') : null;
