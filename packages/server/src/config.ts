// Reads all settings. Pure: takes an environment and returns a frozen config or all faults at once,
// and warnings.
import { isIP } from 'node:net';
import { join } from 'node:path';
import { checkNames } from '@keyrail/protocol/wire/setting-names.ts';
import { DAY_MS } from './base/duration.ts';
import type { LogLevel } from './base/log.ts';
import type { Secret } from './base/secret.ts';
import type { SignupPolicy } from './features/accounts/signup-policy.ts';
import type { AnchorPlaceSetting } from './features/audit/anchor-places.ts';
import type { MailSetting } from './features/mail/transport.ts';
import type { ScannerKeysSource } from './features/scanner/public-keys.ts';
import { auditAnchors } from './settings/audit.ts';
import * as backups from './settings/backups.ts';
import * as embed from './settings/embed.ts';
import * as events from './settings/events.ts';
import * as listening from './settings/listening.ts';
import * as monitoring from './settings/metrics.ts';
import * as people from './settings/people.ts';
import * as policy from './settings/policy.ts';
import { Fault, type Setting } from './settings/setting.ts';
import * as storage from './settings/storage.ts';
import { readTraces } from './settings/traces.ts';
import * as known from './settings.ts';
import { settings } from './settings.ts';
import type { TraceSettings } from './traces/open-traces.ts';
import { redisAddresses } from './volatile/redis-addresses.ts';

export type Config = Readonly<{
  host: string;
  port: number;
  /** The variable that names the port; null: the port is the default. */
  portFrom: string | null;
  /** Null: host and port, which are known when the server has its port. */
  publicUrl: string | null;
  dataDir: string;
  databaseUrl: Secret | null;
  databasePoolerUrl: Secret | null;
  databaseConnectionsMax: number;
  redisUrl: Secret | null;
  redisCluster: boolean;
  countersMax: number;
  /** Null: 1,000,000, or fewer in a small Redis. */
  redisCountersMax: number | null;
  bootstrapToken: Secret | null;
  masterKey: Secret | null;
  region: string;
  trustProxy: string[] | false;
  logLevel: LogLevel;
  mail: MailSetting;
  mailFrom: string;
  passwordCharsMin: number;
  authThrottle: boolean;
  signupPolicy: SignupPolicy;
  verifiedOnly: boolean;
  workspacesPerPersonMax: number;
  invitesPerHourMax: number;
  policyPageKeysMax: number;
  heldPollsMax: number;
  revokeWaitMsMax: number;
  hotAuthMs: number;
  rotateEveryMs: number;
  publishWaitMs: number;
  scannerKeys: ScannerKeysSource | null;
  ingestEventsPerMinute: number;
  usageHoursKeptDays: number;
  embedKeysMax: number;
  idempotencyBytesMax: number;
  tenantMonthsMax: number;
  webhookPrivate: boolean;
  expiryMail: boolean;
  databaseBytesMax: number | null;
  backupDir: string;
  /** Null: backups are not scheduled. */
  backupEveryMs: number | null;
  backupKeep: number;
  backupKey: Secret | null;
  operatorEmail: string | null;
  auditAnchors: readonly AnchorPlaceSetting[];
  /** Null: nothing is measured. */
  metricsToken: Secret | null;
  /** Null: a worker that runs alone serves nothing. */
  workerPort: number | null;
  /** Null: nothing is traced. */
  traces: TraceSettings | null;
  /** npm says so: the start then prints where the server is, also without a terminal. */
  isByNpmStart: boolean;
}>;

export type ConfigResult = { warnings: string[] } & ({ config: Config } | { faults: string[] });

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment): ConfigResult {
  const faults: string[] = [];
  const optional = <T>(setting: Setting<T>): T | null => readSetting(env, setting, faults);
  const required = <T>(setting: Setting<T>, harmless: T): T => optional(setting) ?? harmless;

  const mail: MailSetting = optional(known.mail) ?? {
    kind: 'file',
    directory: join(required(known.dataDir, ''), 'mail'),
  };
  const config: Config = {
    host: required(listening.host, ''),
    port: required(listening.port, 0),
    portFrom: nameIn(env, listening.port),
    publicUrl: optional(known.publicUrl),
    dataDir: required(known.dataDir, ''),
    databaseUrl: optional(known.databaseUrl),
    databasePoolerUrl: optional(known.databasePoolerUrl),
    databaseConnectionsMax: required(known.databaseConnectionsMax, 1),
    redisUrl: optional(known.redisUrl),
    redisCluster: required(known.redisCluster, false),
    countersMax: required(storage.countersMax, 1),
    redisCountersMax: optional(storage.redisCountersMax),
    bootstrapToken: optional(known.bootstrapToken),
    masterKey: optional(known.masterKey),
    region: required(known.region, ''),
    trustProxy: required(known.trustProxy, false),
    logLevel: required(known.logLevel, 'info'),
    mail,
    mailFrom: required(known.mailFrom, ''),
    passwordCharsMin: required(known.passwordCharsMin, 0),
    authThrottle: required(known.authThrottle, true),
    signupPolicy: required(people.signupPolicy, 'off'),
    // Mail files cannot verify an address: the operator would have to forward every link.
    verifiedOnly: optional(people.verifiedOnly) ?? mail.kind === 'smtp',
    workspacesPerPersonMax: required(people.workspacesPerPersonMax, 1),
    invitesPerHourMax: required(people.invitesPerHourMax, 1),
    policyPageKeysMax: required(policy.policyPageKeysMax, 1),
    heldPollsMax: required(policy.heldPollsMax, 1),
    revokeWaitMsMax: required(policy.revokeWaitMsMax, 0),
    hotAuthMs: required(policy.hotAuthMs, 0),
    rotateEveryMs: required(embed.rotateSigningKeysEvery, 0),
    publishWaitMs: required(embed.signingPublishWait, 0),
    scannerKeys: optional(embed.scannerKeys),
    ingestEventsPerMinute: required(storage.ingestEventsPerMinute, 1),
    usageHoursKeptDays: required(storage.usageHoursKeptDays, 1),
    embedKeysMax: required(embed.embedKeysMax, 1),
    idempotencyBytesMax: required(storage.idempotencyBytesMax, 1),
    tenantMonthsMax: required(storage.tenantMonthsMax, 1),
    webhookPrivate: required(events.webhookPrivate, false),
    expiryMail: required(events.expiryMail, true),
    databaseBytesMax: optional(storage.databaseBytesMax),
    backupDir: optional(backups.backupDir) ?? join(required(known.dataDir, ''), 'backups'),
    backupEveryMs: scheduleOf(optional(backups.backupEvery), env.DATABASE_URL ? null : DAY_MS),
    backupKeep: required(backups.backupKeep, 1),
    backupKey: optional(backups.backupKey),
    operatorEmail: optional(backups.operatorEmail),
    auditAnchors: optional(auditAnchors) ?? [],
    metricsToken: optional(monitoring.metricsToken),
    workerPort: optional(monitoring.workerPort),
    traces: readTraces(optional),
    isByNpmStart: env.npm_lifecycle_event === 'start',
  };
  faults.push(...contradictionsIn(config, env));
  const program = { program: 'keyrail-server', known: settings.map(({ name }) => name) };
  const names = checkNames(env, program);
  faults.push(...names.faults);
  const warnings = names.ofClients.map(
    (name) => `ignoring ${name}: it's a client setting, not a server setting`,
  );
  return faults.length > 0 ? { faults, warnings } : { config: Object.freeze(config), warnings };
}

function readSetting<T>(env: Environment, setting: Setting<T>, faults: string[]): T | null {
  const name = nameIn(env, setting) ?? setting.name;
  const text = env[name] || setting.fallback;
  if (text === null) return null;
  try {
    return setting.parse(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(`${name} ${error.message}${setting.isSecret ? '' : `: ${text}`}`);
    return null;
  }
}

/** Settings that are right alone, but not together. */
function contradictionsIn({ redisCluster }: Config, env: Environment): string[] {
  const faults: string[] = [];
  if (env.DATABASE_URL && !env.KEYRAIL_MASTER_KEY) {
    faults.push(
      'KEYRAIL_MASTER_KEY is required with DATABASE_URL; generate one with openssl rand -base64 32',
    );
  }
  if (redisCluster && !/^rediss?:/.test(env.REDIS_URL ?? '')) {
    faults.push('KEYRAIL_REDIS_CLUSTER needs a REDIS_URL with redis:// or rediss://');
  }
  if (!redisCluster && redisAddresses(env.REDIS_URL ?? '').length > 1) {
    faults.push('REDIS_URL lists several hosts, which requires KEYRAIL_REDIS_CLUSTER=on');
  }
  return faults;
}

const scheduleOf = (chosen: number | 'off' | null, usual: number | null): number | null =>
  chosen === 'off' ? null : (chosen ?? usual);

/** The variable from which a setting takes its value; null: it has its default. */
const nameIn = (env: Environment, { name, alias = name }: Setting<unknown>): string | null =>
  [name, alias].find((each) => env[each]) ?? null;

export const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
