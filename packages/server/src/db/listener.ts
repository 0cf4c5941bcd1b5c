// One connection that hears what other processes call out. It may miss calls while it is down, so
// whoever listens also looks for himself now and then.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Ear, Listening } from './database.ts';

const CONNECT_TIMEOUT_MS = 3000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5000;

export function listenTo(url: string, { channel, heard, onFault, onOpen }: Ear): Listening {
  const stopping = new AbortController();
  let client: pg.Client | null = null;

  async function hearUntilLost(): Promise<void> {
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
      // The driver never settles the opening of a client that was ended meanwhile.
      await Promise.race([open(opened, channel).then(onOpen), lost]);
      await lost;
    } finally {
      // One that may not listen (on a standby, say) is not left open beside the next.
      await opened.end().catch(() => {});
    }
  }

  async function keepHearing(): Promise<void> {
    let retryMs = RETRY_MS_MIN;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await hearUntilLost().catch(onFault);
      if (performance.now() - startedAt > RETRY_MS_MAX) retryMs = RETRY_MS_MIN;
      // Nobody is kept alive by trying again: a program that has nothing else to do may end.
      const pause = { signal: stopping.signal, ref: false };
      await sleep(retryMs, undefined, pause).catch(() => {});
      retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    }
  }

  const hearing = keepHearing();
  return {
    async close() {
      stopping.abort();
      await client?.end().catch(() => {});
      await hearing;
    },
  };
}

async function open(client: pg.Client, channel: string): Promise<void> {
  await client.connect();
  await client.query(`listen ${pg.escapeIdentifier(channel)}`);
}
