// keyrail-server start, api and worker: run until they receive a signal, then shut down in order:
// new requests are rejected, accepted requests and running jobs finish, and the store closes last.
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { feedFeatures } from '@keyrail/protocol/wire/feed-features.ts';
import { createEmbedChangeLimit } from '../access/embed-changes.ts';
import { createPasswordHasher } from '../access/passwords.ts';
import { createThrottle, noThrottle } from '../access/throttle.ts';
import { type App, type AppParts, appSettings, buildApp } from '../app.ts';
import { type AskedTasks, openBackupSocket } from '../backup/socket.ts';
import { createBackupTasks } from '../backup/tasks.ts';
import { monotonicMs, systemClock } from '../base/clock.ts';
import { reasonOf } from '../base/errors.ts';
import { createIdMaker } from '../base/ids.ts';
import { type Log, openLog } from '../base/log.ts';
import { systemRandomBytes } from '../base/random.ts';
import { type Config, urlOf } from '../config.ts';
import { createSearchPreparation } from '../db/trigram-search.ts';
import { anchorPlacesOf } from '../features/audit/anchor-places.ts';
import { recordRun } from '../features/backups/record-run.ts';
import { noScannerKeys, openScannerKeys } from '../features/scanner/public-keys.ts';
import type { Traces } from '../observe/open-traces.ts';
import { backupPlaceOf } from '../settings/backups.ts';
import { secretsOf } from '../settings/generated-secrets.ts';
import { startWorker, type Worker, type WorkerParts } from '../worker.ts';
import { openCounters, openStore } from './stores.ts';
import { readyFields, welcome } from './welcome.ts';

const STOP_WITHIN_MS = 9000;

/** `portFrom` is the name of the setting that the port comes from, for error messages. */
type Address = { host: string; port: number; portFrom: string };

type Parts = { api: boolean; worker: boolean };

export const startCommand = (config: Config): Promise<void> =>
  run(config, { api: true, worker: true });

export const apiCommand = (config: Config): Promise<void> =>
  run(config, { api: true, worker: false });

export const workerCommand = (config: Config): Promise<void> =>
  run(config, { api: false, worker: true });

async function run(config: Config, parts: Parts): Promise<void> {
  const startedAt = monotonicMs();
  const traces = await tracesOf(config);
  const log = openLog(config.logging.logLevel, process.stdout, traces?.logFields);
  traces?.reportTo(log);
  // Links contain the port, so it must be known before anything that creates links is built.
  const { host, port, portFrom } = config.listening;
  const wanted = { host, port, portFrom: portFrom ?? 'KEYRAIL_PORT' };
  const held = parts.api && port === 0 ? await holdFreePort(wanted) : null;
  const address = { ...wanted, port: held?.port ?? port };
  const publicUrl = config.listening.publicUrl ?? urlOf(address);
  const makesBackups = parts.worker;
  const app = await openApp(config, { publicUrl, makesBackups, log, tracing: traces });
  const { workerPort } = config.monitoring;
  const probes = !parts.api && workerPort !== null ? app.openWorkerHttp() : null;
  if (probes) {
    const own = { host, port: workerPort ?? 0, portFrom: 'KEYRAIL_WORKER_PORT' };
    await listenOr(probes, own, app);
    log.info({ url: probes.listeningOrigin }, 'serving worker health probes');
  }
  if (parts.api) {
    if (config.store.databaseUrl && !config.counters.redisUrl) {
      log.warn(
        'rate limits are counted per process; set REDIS_URL before running more than one API process',
      );
    }
    await app.http.ready();
    await held?.release();
    await listenOr(app.http, address, app);
  } else if (publicUrl.endsWith(':0')) {
    log.warn('links in emails have no port; set KEYRAIL_PUBLIC_URL');
  }
  const url = held ? app.http.listeningOrigin : publicUrl;
  const worker = parts.worker ? startWorker(app.worker) : null;
  const ms = Math.round(monotonicMs() - startedAt);
  // Signal handlers are installed before "ready" is logged, because a supervisor may send a signal
  // as soon as it reads that line.
  stopOnSignal({ app, worker, probes }, log);
  const { isTTY } = process.stdout;
  if (!isTTY || !parts.api) {
    log.info({ ms, ...(parts.api && readyFields(url, config)) }, 'ready');
  }
  if (parts.api && isTTY) process.stdout.write(welcome(url, config));
  // Written to standard error, because a program may be reading the log's JSON on standard output.
  else if (parts.api && config.isByNpmStart) process.stderr.write(welcome(url, config));
  // Writes the compiled-code cache now, because a process that is killed can't do so on exit.
  flushCompileCache();
}

/** Reserves a free port until `release` is called. */
async function holdFreePort(wanted: Address): Promise<{ port: number; release(): Promise<void> }> {
  const { host } = wanted;
  const holder = createServer((socket) => socket.destroy()).listen({ host, port: 0 });
  await once(holder, 'listening').catch((error: unknown) => {
    throw cannotListen(wanted, error);
  });
  const address = holder.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    release: async () => {
      holder.close();
      await once(holder, 'close');
    },
  };
}

type Http = Pick<App['http'], 'listen' | 'close'>;

/** Closes the app if the address cannot be used. */
async function listenOr(http: Http, address: Address, app: App): Promise<void> {
  try {
    await http.listen({ host: address.host, port: address.port });
  } catch (error) {
    await app.close();
    throw cannotListen(address, error);
  }
}

const cannotListen = ({ portFrom }: Address, error: unknown): Error =>
  new Error(`Cannot listen (KEYRAIL_HOST, ${portFrom}): ${reasonOf(error)}`, { cause: error });

type Opening = Pick<AppParts, 'publicUrl' | 'log' | 'tracing'> & { makesBackups: boolean };

async function openApp(config: Config, { makesBackups, ...opening }: Opening): Promise<App> {
  const { store, people, scanner, backups } = config;
  const { log } = opening;
  const db = await openStore(store, systemClock, log);
  const secrets = await secretsOf(config);
  const counters = await openCounters(config.counters, systemClock, log);
  const newId = createIdMaker(systemClock, systemRandomBytes);
  const app = buildApp({
    ...appSettings(config),
    ...secrets,
    ...opening,
    db,
    counters,
    clock: systemClock,
    randomBytes: systemRandomBytes,
    hasher: createPasswordHasher(),
    chargeEmbedChange: createEmbedChangeLimit(systemClock, counters),
    throttle: people.authThrottle ? createThrottle(systemClock, counters, people) : noThrottle,
    scannerKeys: scanner.scannerKeys
      ? openScannerKeys(scanner.scannerKeys, { log })
      : noScannerKeys,
    prepareSearch: store.databaseUrl && createSearchPreparation(store.databaseUrl.reveal(), log),
    anchorPlaces: anchorPlacesOf({ ...store, ...config.audit }, hostname()),
    backup: {
      ...backups,
      tasks: createBackupTasks({ ...config, masterKey: secrets.masterKey, db, newId }),
      place: makesBackups ? backupPlaceOf(store.dataDir, backups) : null,
    },
    metering: await meteringOf(config.monitoring),
    checkAnswers: false,
    feedFeatures,
  });
  await app.prepare();
  await app.worker.backup.tasks?.clear().catch((error: unknown) => {
    log.warn({ error }, 'failed to remove files left by interrupted backups');
  });
  if (store.databaseUrl) return app;
  const socket = await openBackupSocket(store.dataDir, askedTasks(app.worker));
  const close = async () => {
    await socket.close();
    await app.close();
  };
  return { ...app, close };
}

/** Metrics are loaded only if they are used. */
async function meteringOf({
  metricsToken: token,
}: Config['monitoring']): Promise<AppParts['metering']> {
  if (token === null) return null;
  const { createMetrics } = await import('../observe/metrics.ts');
  return { metrics: createMetrics(systemClock), token };
}

/** OpenTelemetry is loaded only if it is used. */
async function tracesOf({ traces }: Config): Promise<Traces | null> {
  if (traces === null) return null;
  const { openTraces } = await import('../observe/open-traces.ts');
  return openTraces(traces);
}

/** The tasks that commands on this machine may request. Their results are recorded. */
function askedTasks({ work, backup }: WorkerParts): AskedTasks {
  const { tasks, operatorEmail } = backup;
  if (!tasks) throw new Error('bug: the embedded server has no backup tasks');
  const parts = { work, operatorEmail };
  return {
    backup: (report) => recordRun(parts, 'backup', () => tasks.take(report)),
    'restore-test': (report) => recordRun(parts, 'restore_test', () => tasks.test(report)),
  };
}

type Running = {
  app: Pick<App, 'stopServing' | 'close'>;
  worker: Worker | null;
  /** A standalone worker's HTTP server. */
  probes?: Pick<Http, 'close'> | null;
};

/**
 * Stops serving requests and stops the jobs at the same time, so that the API doesn't keep
 * accepting requests while a job waits for a mail server.
 */
export async function stopInOrder({ app, worker, probes }: Running): Promise<void> {
  await Promise.all([app.stopServing(), worker?.stop()]);
  await probes?.close();
  await app.close();
}

function stopOnSignal(running: Running, log: Log): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const stopped = stopInOrder(running);
    const outcome = await Promise.race([stopped, sleep(STOP_WITHIN_MS, 'late', { ref: false })]);
    if (outcome === 'late') log.warn('stopped before all requests and jobs had finished');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
