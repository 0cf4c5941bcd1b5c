// keyrail-server start, api and worker: open what the settings name, run until told to stop, and
// stop in order: no new requests, the accepted ones and the running jobs finished, then the store.
import { setTimeout as sleep } from 'node:timers/promises';
import { embedChangesBy } from './access/embed-changes.ts';
import { noThrottle, throttleBy } from './access/throttle.ts';
import { type App, buildApp } from './app.ts';
import { monotonicMs, systemClock } from './base/clock.ts';
import { reasonOf } from './base/errors.ts';
import { type Log, openLog } from './base/log.ts';
import { openPasswordHasher } from './base/password-hasher.ts';
import { systemRandomBytes } from './base/random.ts';
import type { Secret } from './base/secret.ts';
import type { Config } from './config.ts';
import { noScannerKeys, openScannerKeys } from './features/scanner/public-keys.ts';
import { bootstrapTokenIn, masterKeyIn } from './generated-secrets.ts';
import { openCounters, openStore } from './stores.ts';
import { tryIt, welcome } from './welcome.ts';
import { startWorker, type Worker } from './worker.ts';

const STOP_WITHIN_MS = 9000;

type Parts = { api: boolean; worker: boolean };

export const startCommand = (config: Config): Promise<void> =>
  run(config, { api: true, worker: true });

export const apiCommand = (config: Config): Promise<void> =>
  run(config, { api: true, worker: false });

export const workerCommand = (config: Config): Promise<void> =>
  run(config, { api: false, worker: true });

async function run(config: Config, parts: Parts): Promise<void> {
  const startedAt = monotonicMs();
  const log = openLog(config.logLevel, process.stdout);
  const app = await openApp(config, log);
  let url = config.publicUrl;
  if (parts.api) {
    if (config.databaseUrl && !config.redisUrl) {
      log.warn('rate limits are counted in this process alone: more than one API needs REDIS_URL');
    }
    try {
      await app.http.listen({ host: config.host, port: config.port });
    } catch (error) {
      await app.close();
      throw new Error(`Cannot listen (KEYRAIL_HOST, KEYRAIL_PORT): ${reasonOf(error)}`, {
        cause: error,
      });
    }
    if (config.port === 0) url = app.http.listeningOrigin;
  }
  const worker = parts.worker ? startWorker(app.worker) : null;
  const ms = Math.round(monotonicMs() - startedAt);
  // Before it says so: whoever reads that it is ready may stop it in the same instant.
  stopOnSignal({ app, worker }, log);
  if (process.stdout.isTTY && parts.api) process.stdout.write(welcome(url, config));
  else log.info({ ms, ...(parts.api && { url, ...tryIt(url, config) }) }, 'ready');
}

async function openApp(config: Config, log: Log): Promise<App> {
  const db = await openStore(config, systemClock, log);
  const secrets = await secretsOf(config);
  const counters = await openCounters(config, systemClock, log);
  const { region, publicUrl, trustProxy, passwordCharsMin, mail, mailFrom } = config;
  const { policyPageKeysMax, revokeWaitMsMax, hotAuthMs, rotateEveryMs, publishWaitMs } = config;
  const { ingestEventsPerMinute, usageHoursKeptDays, embedKeysMax, heldPollsMax } = config;
  const { signupPolicy, verifiedOnly, invitesPerHourMax } = config;
  const { idempotencyBytesMax, tenantMonthsMax } = config;
  const app = buildApp({
    db,
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
    hasher: await openPasswordHasher(),
    chargeEmbedChange: embedChangesBy(systemClock, counters),
    throttle: config.authThrottle ? throttleBy(systemClock, counters) : noThrottle,
    ...secrets,
    ...{ region, publicUrl, trustProxy, passwordCharsMin, mail, mailFrom },
    ...{ policyPageKeysMax, revokeWaitMsMax, hotAuthMs, rotateEveryMs, publishWaitMs },
    scannerKeys: config.scannerKeys ? openScannerKeys(config.scannerKeys, { log }) : noScannerKeys,
    ...{ ingestEventsPerMinute, usageHoursKeptDays, embedKeysMax, heldPollsMax },
    ...{ signupPolicy, verifiedOnly, invitesPerHourMax },
    ...{ idempotencyBytesMax, tenantMonthsMax },
    counters,
    checkAnswers: false,
  });
  await app.prepare();
  return app;
}

export async function secretsOf(
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

type Running = { app: Pick<App, 'stopServing' | 'close'>; worker: Worker | null };

/** While a job comes to its end, which a silent mail server can delay, nobody is let in. */
export async function stopInOrder({ app, worker }: Running): Promise<void> {
  await Promise.all([app.stopServing(), worker?.stop()]);
  await app.close();
}

function stopOnSignal({ app, worker }: Running, log: Log): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const stopped = stopInOrder({ app, worker });
    const outcome = await Promise.race([stopped, sleep(STOP_WITHIN_MS, 'late', { ref: false })]);
    if (outcome === 'late') log.warn('some requests did not finish in time');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
