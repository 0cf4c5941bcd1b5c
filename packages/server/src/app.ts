// Composition root: builds the parts of one process and closes them in order.

import type { FastifyInstance } from 'fastify';
import type { ChargeEmbedChange } from './access/embed-changes.ts';
import { createLookups, type Lookups } from './access/gate.rows.ts';
import type { PasswordHasher } from './access/passwords.ts';
import { createPermissionNotes } from './access/permission-uses.ts';
import { createSecretKeyReader } from './access/secret-key.ts';
import { openSecretKeyAuth, type SecretKeyAuth } from './access/secret-key-auth.ts';
import type { Throttle } from './access/throttle.ts';
import { type Clock, monotonicMs } from './base/clock.ts';
import { deadlineAfter } from './base/deadline.ts';
import { createIdMaker, createRequestIdMaker } from './base/ids.ts';
import type { Log } from './base/log.ts';
import type { RandomBytes } from './base/random.ts';
import { createBoundSealing, createSealing, keyFor } from './base/sealing.ts';
import type { Secret } from './base/secret.ts';
import type { Tracing } from './base/tracing.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { withSharedReads } from './db/shared-reads.ts';
import { withTraces } from './db/traced-database.ts';
import { type Gate, openGate } from './doors/gate.ts';
import { type OpenPeople, openPeople } from './doors/people.ts';
import { openPolicyNotifications } from './doors/policy-notifications.ts';
import type { PreviewParts } from './doors/preview.ts';
import { openWork, openWorkIn } from './doors/work.ts';
import type { DoorParts } from './doors/write.ts';
import type { AnchorPlace } from './features/audit/anchor-places.ts';
import type { BackupSetup } from './features/backups/backup-tasks.ts';
import { measureImpact } from './features/impact/measure-impact.ts';
import { presentImpact } from './features/impact/present.ts';
import { type MailTransport, openTransport } from './features/mail/transport.ts';
import { findVersions } from './features/policy/gate.rows.ts';
import { openServingRecord, type ServingParts } from './features/policy/open-serving-record.ts';
import type { ScannerKeys } from './features/scanner/public-keys.ts';
import { figuresOf, probeOf } from './features/status/parts.ts';
import { createEvents, type EventSettings } from './features/webhooks/parts.ts';
import { callerCredentials } from './http/caller-credentials.ts';
import { createCursors } from './http/cursor.ts';

import type { Metering } from './http/metrics-route.ts';
import { pageRoutes } from './http/pages/page-routes.ts';
import { createRequestHash } from './http/request-keys.ts';
import type { ServedRoute } from './http/route.ts';
import { buildServer } from './http/server.ts';
import { servedRoutes } from './routes.ts';
import { signerOf } from './signing/signer.ts';
import type { Counters } from './volatile/counters.ts';
import { createPolicyHub, type PolicyHub } from './volatile/policy-hub.ts';
import { withTraces as tracedCounters } from './volatile/traced-counters.ts';
import type { WorkerParts } from './worker.ts';

/** The settings that the app and its features use. */
export const appSettings = (config: Config) => ({
  ...config.http,
  ...config.mail,
  ...config.people,
  ...config.policy,
  ...config.signing,
  ...config.embed,
  ...config.quotas,
  ...config.events,
});

export type AppParts = ReturnType<typeof appSettings> &
  Pick<EventSettings, 'nameServers'> & {
    hasher: PasswordHasher;
    throttle: Throttle;
    chargeEmbedChange: ChargeEmbedChange;
    /** Closed with the app. */
    counters: Counters;
    scannerKeys: ScannerKeys;
    backup: BackupSetup;
    /** The destinations that audit chain anchors are written to. */
    anchorPlaces: readonly AnchorPlace[];
    prepareSearch?: WorkerParts['prepareSearch'];
    db: Database;
    clock: Clock;
    randomBytes: RandomBytes;
    log: Log;
    bootstrapToken: Secret | null;
    masterKey: Secret;
    publicUrl: string;
    checkAnswers: boolean;
    feedFeatures: readonly string[];
    /** Null if metrics are disabled; /metrics then doesn't exist. */
    metering: Metering | null;
    /** Null if tracing is disabled. Closed with the app. */
    tracing: (Tracing & { close(): Promise<void> }) | null;
    /** The folder with the built dashboard. Tests use a different one. */
    dashboard?: string;
  };

export type App = {
  http: FastifyInstance;
  /** A standalone worker's HTTP server, with probes, and with metrics if they are enabled. */
  openWorkerHttp(): FastifyInstance;
  worker: WorkerParts;
  /** Call before serving: ensures that a published signing key exists. */
  prepare(): Promise<void>;
  /**
   * Rejects new requests, and resolves once all accepted requests have finished. The store stays
   * open.
   */
  stopServing(): Promise<void>;
  close(): Promise<void>;
};

export function buildApp(parts: AppParts): App {
  const { masterKey, randomBytes, log, publicUrl, metering, tracing } = parts;
  const counters = observedCounters(parts);
  const hub = createPolicyHub(parts);
  const { doors, gate, notifications, unseal } = openDoors(parts, hub);
  const { db, newId } = doors;
  const work = openWork(db, newId);

  const { forRoutes: signed, prepare, ...signer } = signerOf(parts, { gate, work });
  const lookups = createLookups(gate);
  const secretKeyAuth = secretKeyAuthOf(parts, { gate, lookups });

  const events = createEvents(parts, { doors, work, sealingKey: keyFor('webhooks', masterKey) });
  const routes = servedRoutes({
    // The settings and stores; each feature's type lists the ones it needs.
    ...parts,
    newId,
    hub,
    ...signed,
    ...events.routes,
    responseSealing: createBoundSealing(keyFor('idempotency', masterKey), randomBytes),
    redis: counters.state,
  });
  const nowMs = () => monotonicMs() + parts.clock.shiftMs();
  const serverParts = {
    ...doors,
    counters,
    gate,
    log,
    forgetKeys: secretKeyAuth.forget,
    measureImpact: measuredImpact,
    cursors: createCursors(keyFor('cursor', masterKey)),
    hashRequest: createRequestHash(keyFor('requests', masterKey)),
    credentials: callerCredentials(parts, { lookups, secretKeyAuth, ...signed }),
    probe: probeOf(doors, gate),
    verifiedOnly: parts.verifiedOnly,
    newRequestId: createRequestIdMaker(newId),
    chargeEmbedChange: parts.chargeEmbedChange,
    notePermission: createPermissionNotes({ lookups, log, nowMs }),
    chargeClient: parts.throttle.chargeClient,
    checkAnswers: parts.checkAnswers,
    publicUrl,
    trustProxy: parts.trustProxy,
    metering,
    tracing,
  };
  const http = buildServer(routes, serverParts);
  metering?.metrics.readFrom({
    ...figuresOf(doors, gate),
    held: hub.held,
    redis: counters.state,
  });
  recordServing(http, { gate, newId, log });
  pageRoutes(http, parts);
  const stopServing = async (): Promise<void> => {
    // Closing the hub ends the polls it is holding; otherwise http.close() would wait for them.
    hub.close();
    await http.close();
  };
  return {
    http,
    openWorkerHttp: () => buildServer(routes.filter(isProbe), serverParts),
    worker: workerOf(parts, doors, { work, unseal, ...signer, ...events.worker }),
    prepare,
    stopServing,
    async close() {
      await stopServing();
      await notifications.close();
      await secretKeyAuth.close();
      await counters.close();
      await db.close();
      await tracing?.close();
    },
  };
}

/**
 * Opens the doors, through which the server accesses the database, and the channel that announces
 * policy changes to other processes.
 */
function openDoors({ masterKey, randomBytes, log, tracing, ...parts }: AppParts, hub: PolicyHub) {
  const newId = createIdMaker(parts.clock, randomBytes);
  const shared = withSharedReads(parts.db);
  const db = tracing ? withTraces(shared, tracing) : shared;
  const gate = openGate(db);
  const versionsOf = (projectIds: readonly string[]) => findVersions(gate, projectIds);
  const notifications = openPolicyNotifications({ hub, gate, findVersions: versionsOf, db, log });
  const { seal, unseal } = createSealing(keyFor('outbox', masterKey), randomBytes);
  const doors: DoorParts = { db, newId, randomBytes, seal, announce: notifications.announce };
  return { doors, gate, notifications, unseal };
}

function observedCounters({ counters, metering, tracing }: AppParts): Counters {
  const tallied = metering?.metrics.talliedCounters(counters) ?? counters;
  return tracing ? tracedCounters(tallied, tracing) : tallied;
}

type WorkerBuilt = Pick<
  WorkerParts,
  'work' | 'unseal' | 'signing' | 'anchorKey' | 'webhooks' | 'expiryMail'
>;

const workerOf = (parts: AppParts, doors: DoorParts, built: WorkerBuilt): WorkerParts => ({
  ...parts,
  ...built,
  people: workersPeople(doors),
  workIn: openWorkIn(doors.db, doors.newId),
  announce: doors.announce,
  transport: transportOf(parts),
  newId: doors.newId,
  observeJob: parts.metering?.metrics.observeJob,
});

const isProbe = ({ line }: ServedRoute): boolean => /^GET \/(healthz|readyz)$/.test(line);

const measuredImpact: PreviewParts['measureImpact'] = async (tx, foreseen) =>
  presentImpact(foreseen, await measureImpact(tx, foreseen), tx.now);

const WORK_WAIT_MS = 10_000;

/** Opens transactions on user accounts for the worker, each with its own deadline. */
const workersPeople =
  (doors: DoorParts): OpenPeople =>
  (operation) =>
    openPeople(doors, deadlineAfter(WORK_WAIT_MS))(operation);

/**
 * Records when this HTTP server starts and stops listening. In a standalone worker, it never
 * listens.
 */
function recordServing(http: FastifyInstance, parts: ServingParts): void {
  const serving = openServingRecord(parts);
  http.addHook('onListen', async () => serving.start());
  http.addHook('preClose', () => serving.close());
}

const secretKeyAuthOf = (
  { hotAuthMs: lifeMs, db, clock, log }: AppParts,
  { gate, lookups }: { gate: Gate; lookups: Lookups },
): SecretKeyAuth =>
  openSecretKeyAuth({
    gate,
    log,
    clock,
    lifeMs,
    listen: db.listen,
    read: createSecretKeyReader({ lookups, log }),
  });

function transportOf({ mail, mailFrom, publicUrl, tracing }: AppParts): MailTransport {
  const { send, close } = openTransport(mail, {
    from: mailFrom,
    domain: new URL(publicUrl).hostname,
  });
  if (!tracing) return { send, close };
  const start = { name: 'send mail', kind: 'client' } as const;
  return { send: (message) => tracing.around(start, () => send(message)), close };
}
