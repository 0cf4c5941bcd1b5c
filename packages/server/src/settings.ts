// Every setting with its name, meaning, default and parser. `keyrail-server help` prints this list.
import { isAddressBlock } from '@keyrail/protocol/wire/address-block.ts';
import { PASSWORD_CHARS_MIN } from '@keyrail/protocol/wire/limits.ts';
import { type LogLevel, logLevels } from './base/log.ts';
import { Secret } from './base/secret.ts';
import type { MailSetting } from './features/mail/transport.ts';
import { auditAnchors } from './settings/audit.ts';
import {
  backupDir,
  backupEvery,
  backupKeep,
  backupKey,
  operatorEmail,
} from './settings/backups.ts';
import {
  embedKeysMax,
  rotateSigningKeysEvery,
  scannerKeys,
  signingPublishWait,
} from './settings/embed.ts';
import { expiryMail, webhookPrivate } from './settings/events.ts';
import { host, port } from './settings/listening.ts';
import { metricsToken, workerPort } from './settings/metrics.ts';
import {
  isPostgres,
  isRedis,
  isSender,
  isSmtp,
  onOrOff,
  plainText,
  secretIf,
  wholeNumber,
} from './settings/parsers.ts';
import {
  invitesPerHourMax,
  signupPolicy,
  verifiedOnly,
  workspacesPerPersonMax,
} from './settings/people.ts';
import { heldPollsMax, hotAuthMs, policyPageKeysMax, revokeWaitMsMax } from './settings/policy.ts';
import { Fault, type Setting } from './settings/setting.ts';
import {
  countersMax,
  databaseBytesMax,
  idempotencyBytesMax,
  ingestEventsPerMinute,
  redisCountersMax,
  tenantMonthsMax,
  usageHoursKeptDays,
} from './settings/storage.ts';
import { traceSettings } from './settings/traces.ts';

const BOOTSTRAP_CHARS_MIN = 32;
const MASTER_KEY_BYTES = 32;

export const publicUrl: Setting<string | null> = {
  name: 'KEYRAIL_PUBLIC_URL',
  meaning: "The server's public base URL, used in emails and tokens. Default: host and port.",
  fallback: null,
  parse: (text) => {
    const isOrigin = /^https?:\/\/[^\s/?#@\\]+$/.test(text) && URL.canParse(text);
    if (!isOrigin) throw new Fault('must be http(s)://host[:port]');
    return text;
  },
};

export const dataDir: Setting<string> = {
  name: 'KEYRAIL_DATA_DIR',
  meaning: 'Directory of the embedded database, generated secrets, mail and backups.',
  fallback: './.keyrail',
  parse: plainText,
};

export const databaseUrl: Setting<Secret> = {
  name: 'DATABASE_URL',
  meaning: 'PostgreSQL 15 or later. Unset: the embedded database in the data directory.',
  fallback: null,
  isSecret: true,
  parse: (text) => secretIf(isPostgres(text), text, 'must be a postgres:// URL'),
};

export const databasePoolerUrl: Setting<Secret> = {
  name: 'KEYRAIL_DATABASE_POOLER_URL',
  meaning:
    'URL of a connection pooler in transaction mode. DATABASE_URL must still connect directly.',
  fallback: null,
  isSecret: true,
  parse: (text) => secretIf(isPostgres(text), text, 'must be a postgres:// URL'),
};

export const databaseConnectionsMax: Setting<number> = {
  name: 'KEYRAIL_DATABASE_CONNECTIONS',
  meaning: 'Maximum PostgreSQL connections per process.',
  fallback: '10',
  parse: (text) => wholeNumber(text, 1, 1000),
};

export const redisUrl: Setting<Secret> = {
  name: 'REDIS_URL',
  meaning: 'redis://, rediss:// or unix:<path>. Unset: counters are kept in the process.',
  fallback: null,
  isSecret: true,
  parse: (text) => secretIf(isRedis(text), text, 'must be redis://, rediss:// or unix:<path>'),
};

export const redisCluster: Setting<boolean> = {
  name: 'KEYRAIL_REDIS_CLUSTER',
  meaning:
    'on: REDIS_URL names a node of a Redis Cluster, or several: redis://host:port,host:port.',
  fallback: 'off',
  parse: onOrOff,
};

export const bootstrapToken: Setting<Secret> = {
  name: 'KEYRAIL_BOOTSTRAP_TOKEN',
  meaning:
    'Token for creating workspaces. If unset, the embedded mode generates one in the data directory.',
  fallback: null,
  isSecret: true,
  parse: (text) => {
    const isLong = text.length >= BOOTSTRAP_CHARS_MIN;
    if (!isLong) throw new Fault(`must have at least ${BOOTSTRAP_CHARS_MIN} characters`);
    if (!/^[\x21-\x7e]+$/.test(text)) throw new Fault('must be printable ASCII without spaces');
    if (/^kr(sk|ses)?_/.test(text)) throw new Fault('must not look like a Keyrail key');
    return new Secret(text);
  },
};

export const masterKey: Setting<Secret> = {
  name: 'KEYRAIL_MASTER_KEY',
  meaning: 'Encrypts stored secrets and responses: 32 bytes in base64. Required with DATABASE_URL.',
  fallback: null,
  isSecret: true,
  parse: (text) => {
    // Buffer.from skips characters outside base64, so it would accept a key in quotes.
    const isKey =
      /^[\w+/-]+=?$/.test(text) && Buffer.from(text, 'base64').length === MASTER_KEY_BYTES;
    return secretIf(isKey, text, 'must be 32 bytes in base64');
  },
};

export const region: Setting<string> = {
  name: 'KEYRAIL_REGION',
  meaning: 'Region name shown in health endpoint responses.',
  fallback: 'local',
  parse: plainText,
};

export const trustProxy: Setting<string[] | false> = {
  name: 'KEYRAIL_TRUST_PROXY',
  meaning: 'Comma-separated addresses of proxies whose x-forwarded-for is trusted.',
  fallback: 'off',
  parse: (text) => {
    if (text === 'off') return false;
    const addresses = text.split(',').map((part) => part.trim());
    if (!addresses.every(isAddressBlock))
      throw new Fault('must be off, or a list of IP addresses and ranges');
    return addresses;
  },
};

export const logLevel: Setting<LogLevel> = {
  name: 'KEYRAIL_LOG_LEVEL',
  meaning: `One of ${logLevels.join(', ')}.`,
  fallback: 'info',
  parse: (text) => {
    for (const level of logLevels) if (level === text) return level;
    throw new Fault(`must be one of ${logLevels.join(', ')}`);
  },
};

export const mail: Setting<MailSetting | null> = {
  name: 'KEYRAIL_MAIL',
  meaning: 'file:<directory>, smtp://user:pass@host:port or smtps://… Default: <data dir>/mail.',
  fallback: null,
  isSecret: true,
  parse: (text) => {
    if (text.startsWith('file:') && text.length > 'file:'.length) {
      return { kind: 'file', directory: text.slice('file:'.length) };
    }
    if (isSmtp(text)) return { kind: 'smtp', url: new Secret(text) };
    throw new Fault('must be file:<directory>, smtp://host:port or smtps://host:port');
  },
};

export const mailFrom: Setting<string> = {
  name: 'KEYRAIL_MAIL_FROM',
  meaning: 'Sender of all emails.',
  fallback: 'Keyrail <keyrail@localhost>',
  parse: (text) => {
    if (!isSender(text)) throw new Fault('must be Name <address>');
    return text;
  },
};

export const passwordCharsMin: Setting<number> = {
  name: 'KEYRAIL_PASSWORD_MIN',
  meaning: 'Minimum length of a new password, in characters.',
  fallback: String(PASSWORD_CHARS_MIN),
  parse: (text) => wholeNumber(text, 8, 64),
};

export const authThrottle: Setting<boolean> = {
  name: 'KEYRAIL_AUTH_THROTTLE',
  meaning: 'Limits sign-in and sign-up attempts and emails per address: on, or off for tests.',
  fallback: 'on',
  parse: onOrOff,
};

/** In the order of `keyrail-server help`. */
export const settings: readonly Setting<unknown>[] = [
  host,
  port,
  publicUrl,
  dataDir,
  databaseUrl,
  databasePoolerUrl,
  databaseConnectionsMax,
  databaseBytesMax,
  redisUrl,
  redisCluster,
  countersMax,
  redisCountersMax,
  bootstrapToken,
  masterKey,
  region,
  trustProxy,
  mail,
  mailFrom,
  passwordCharsMin,
  authThrottle,
  signupPolicy,
  verifiedOnly,
  workspacesPerPersonMax,
  invitesPerHourMax,
  policyPageKeysMax,
  heldPollsMax,
  revokeWaitMsMax,
  hotAuthMs,
  rotateSigningKeysEvery,
  signingPublishWait,
  scannerKeys,
  embedKeysMax,
  idempotencyBytesMax,
  ingestEventsPerMinute,
  usageHoursKeptDays,
  tenantMonthsMax,
  backupDir,
  backupEvery,
  backupKeep,
  backupKey,
  operatorEmail,
  auditAnchors,
  webhookPrivate,
  expiryMail,
  metricsToken,
  workerPort,
  ...traceSettings,
  logLevel,
];
