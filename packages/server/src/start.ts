// keyrail-server start: opens what the settings name, serves until told to stop, and stops in
// order: no new requests, the accepted ones finished, then the store closed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';
import { buildApp } from './app.ts';
import { monotonicMs, systemClock } from './base/clock.ts';
import { type Log, openLog } from './base/log.ts';
import { systemRandomBytes } from './base/random.ts';
import type { Secret } from './base/secret.ts';
import type { Config } from './config.ts';
import { bootstrapTokenIn, masterKeyIn } from './generated-secrets.ts';
import { openStore } from './stores.ts';
import { welcome } from './welcome.ts';

const STOP_WITHIN_MS = 9000;

export async function openServer(config: Config): Promise<void> {
  const startedAt = monotonicMs();
  const log = openLog(config.logLevel, process.stdout);
  const db = await openStore(config, systemClock, log);
  const app = buildApp({
    db,
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
    ...(await secretsOf(config)),
    region: config.region,
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    checkAnswers: false,
  });
  try {
    await app.http.listen({ host: config.host, port: config.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = config.port === 0 ? app.http.listeningOrigin : config.publicUrl;
  log.info({ url, store: db.kind, ms: Math.round(monotonicMs() - startedAt) }, 'ready');
  if (process.stdout.isTTY) process.stdout.write(welcome(url, config));
  stopOnSignal(app, log);
}

async function secretsOf(
  config: Config,
): Promise<{ bootstrapToken: Secret | null; masterKey: Secret }> {
  const { bootstrapToken, masterKey, databaseUrl, dataDir } = config;
  return {
    // Beside PostgreSQL nothing is made up: what the operator did not set does not exist.
    bootstrapToken:
      bootstrapToken ?? (databaseUrl ? null : await bootstrapTokenIn(dataDir, systemRandomBytes)),
    masterKey: masterKey ?? (await masterKeyIn(dataDir, systemRandomBytes)),
  };
}

function stopOnSignal(app: App, log: Log): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const late = sleep(STOP_WITHIN_MS, 'late', { ref: false });
    const outcome = await Promise.race([app.close(), late]);
    if (outcome === 'late') log.warn('some requests did not finish in time');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
