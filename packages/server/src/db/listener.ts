// One connection that receives notifications from other processes. While the connection is down,
// notifications are lost, so callers must also poll.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Listener, Listening } from './database.ts';

const CONNECT_TIMEOUT_MS = 3000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5000;

export function listenTo(url: string, { channel, heard, onFault, onOpen }: Listener): Listening {
  const stopping = new AbortController();
  let client: pg.Client | null = null;

  async function listenUntilLost(): Promise<void> {
    const opened = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'keyrail-listener',
    });
    client = opened;
    const lost = new Promise<void>((resolve) => opened.once('end', resolve));
    opened.on('error', onFault);
    opened.on('notification', ({ payload }) => heard(payload ?? ''));
    try {
      // The driver never settles connect() for a client that has been closed in the meantime.
      await Promise.race([open(opened, channel).then(onOpen), lost]);
      await lost;
    } finally {
      // If LISTEN fails, for example on a standby, the connection must not stay open.
      await opened.end().catch(() => {});
    }
  }

  async function keepListening(): Promise<void> {
    let retryMs = RETRY_MS_MIN;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await listenUntilLost().catch(onFault);
      if (performance.now() - startedAt > RETRY_MS_MAX) retryMs = RETRY_MS_MIN;
      // The retry timer must not keep an otherwise finished process alive.
      const pause = { signal: stopping.signal, ref: false };
      await sleep(retryMs, undefined, pause).catch(() => {});
      retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    }
  }

  const listening = keepListening();
  return {
    async close() {
      stopping.abort();
      await client?.end().catch(() => {});
      await listening;
    },
  };
}

async function open(client: pg.Client, channel: string): Promise<void> {
  await client.connect();
  await client.query(`listen ${pg.escapeIdentifier(channel)}`);
}
