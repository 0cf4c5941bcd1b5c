// Settings: their defaults, which values are accepted or rejected, and how all errors are reported
// together.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Config, readConfig, settings, urlOf } from './config.ts';

const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');
const _TOKEN = 'a'.repeat(32);
const SCANNER = 'https://scanner.example/keys';

function configOf(env: Record<string, string>): Config {
  const read = readConfig(env);
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  return read.config;
}

function faultsOf(env: Record<string, string>): string[] {
  const read = readConfig(env);
  return 'faults' in read ? read.faults : [];
}

/** Collects the values from all groups in one object. */
const fieldsOf = (config: Config): Record<string, unknown> =>
  Object.assign({}, ...Object.values(config));

test('no two settings groups have a field with the same name', () => {
  const fields = Object.values(configOf({})).flatMap((group) => Object.keys(group ?? {}));
  deepEqual(fields.toSorted(), Object.keys(fieldsOf(configOf({}))).toSorted());
});

test('with an empty environment, every setting has its documented default', () => {
  const config = configOf({});
  equal(config.traces, null);
  equal(config.isByNpmStart, false);
  const found = fieldsOf(config);
  const expected = {
    host: '127.0.0.1',
    port: 4400,
    portFrom: null,
    publicUrl: null,
    dataDir: './.keyrail',
    databaseUrl: null,
    poolerUrl: null,
    metricsToken: null,
    workerPort: null,
    connectionsMax: 10,
    bootstrapToken: null,
    masterKey: null,
    region: 'local',
    trustProxy: false,
    logLevel: 'info',
    mail: { kind: 'file', directory: '.keyrail/mail' },
    mailFrom: 'Keyrail <keyrail@localhost>',
    passwordCharsMin: 12,
    authThrottle: true,
    signupPolicy: 'open',
    verifiedOnly: false,
    workspacesPerPersonMax: 10,
    invitesPerHourMax: 50,
    policyPageKeysMax: 10_000,
    heldPollsMax: 2000,
    revokeWaitMsMax: 10_000,
    redisUrl: null,
    redisCluster: false,
    countersMax: 100_000,
    redisCountersMax: null,
    hotAuthMs: 5000,
    rotateEveryMs: 30 * 86_400_000,
    publishWaitMs: 600_000,
    scannerKeys: null,
    ingestEventsPerMinute: 120_000,
    usageHoursKeptDays: 35,
    embedKeysMax: 100,
    idempotencyBytesMax: 268_435_456,
    tenantMonthsMax: 1_000_000,
    webhookPrivate: false,
    expiryMail: true,
    bytesMax: null,
    dir: '.keyrail/backups',
    everyMs: 86_400_000,
    keep: 7,
    key: null,
    operatorEmail: null,
    auditAnchors: [],
  };
  for (const [field, value] of Object.entries(expected)) deepEqual(found[field], value, field);
});

test('an empty value counts as unset', () => {
  const empty = Object.fromEntries(settings.map(({ name }) => [name, '']));
  deepEqual(configOf(empty), configOf({}));
});

test('the config is frozen', () => {
  const config = configOf({});
  ok(Object.isFrozen(config));
  for (const group of Object.values(config)) ok(Object.isFrozen(group));
});

const accepted: [string, string, string, unknown][] = [
  ['KEYRAIL_HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['KEYRAIL_PORT', '0', 'port', 0],
  ['KEYRAIL_PUBLIC_URL', 'https://keys.example.com', 'publicUrl', 'https://keys.example.com'],
  ['KEYRAIL_PUBLIC_URL', 'http://localhost:80', 'publicUrl', 'http://localhost:80'],
  ['KEYRAIL_DATA_DIR', '/var/lib/keyrail', 'dataDir', '/var/lib/keyrail'],
  ['KEYRAIL_DATABASE_CONNECTIONS', '1', 'connectionsMax', 1],
  ['KEYRAIL_DATABASE_CONNECTIONS', '1000', 'connectionsMax', 1000],
  ['KEYRAIL_REGION', 'eu-1', 'region', 'eu-1'],
  ['KEYRAIL_TRUST_PROXY', 'off', 'trustProxy', false],
  ['KEYRAIL_TRUST_PROXY', '10.0.0.1', 'trustProxy', ['10.0.0.1']],
  ['KEYRAIL_TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1']],
  ['KEYRAIL_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ['KEYRAIL_MAIL', 'file:/var/mail', 'mail', { kind: 'file', directory: '/var/mail' }],
  ['KEYRAIL_MAIL_FROM', 'Keys <keys@example.com>', 'mailFrom', 'Keys <keys@example.com>'],
  ['KEYRAIL_MAIL_FROM', 'keys@example.com', 'mailFrom', 'keys@example.com'],
  ['KEYRAIL_PASSWORD_MIN', '8', 'passwordCharsMin', 8],
  ['KEYRAIL_PASSWORD_MIN', '64', 'passwordCharsMin', 64],
  ['KEYRAIL_AUTH_THROTTLE', 'off', 'authThrottle', false],
  ['KEYRAIL_HELD_POLLS', '1', 'heldPollsMax', 1],
  ['KEYRAIL_POLICY_PAGE_CEILING', '1', 'policyPageKeysMax', 1],
  ['KEYRAIL_POLICY_PAGE_CEILING', '100000', 'policyPageKeysMax', 100_000],
  ['KEYRAIL_REVOKE_WAIT_MS', '0', 'revokeWaitMsMax', 0],
  ['KEYRAIL_REVOKE_WAIT_MS', '60000', 'revokeWaitMsMax', 60_000],
  ['KEYRAIL_HOT_AUTH_TTL_MS', '0', 'hotAuthMs', 0],
  ['KEYRAIL_HOT_AUTH_TTL_MS', '60000', 'hotAuthMs', 60_000],
  ['KEYRAIL_INGEST_EVENTS_PER_MINUTE', '1', 'ingestEventsPerMinute', 1],
  ['KEYRAIL_USAGE_HOURS_DAYS', '400', 'usageHoursKeptDays', 400],
  ['KEYRAIL_REDIS_CLUSTER', 'off', 'redisCluster', false],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '1h', 'rotateEveryMs', 3_600_000],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '365d', 'rotateEveryMs', 365 * 86_400_000],
  ['KEYRAIL_SIGNING_PUBLISH_WAIT', '300s', 'publishWaitMs', 300_000],
  ['KEYRAIL_SIGNING_PUBLISH_WAIT', '5m', 'publishWaitMs', 300_000],
  ['KEYRAIL_SCANNER_KEYS', './keys.json', 'scannerKeys', { kind: 'file', path: './keys.json' }],
  ['KEYRAIL_SCANNER_KEYS', SCANNER, 'scannerKeys', { kind: 'url', url: SCANNER }],
  ['KEYRAIL_WEBHOOK_PRIVATE', 'on', 'webhookPrivate', true],
  ['KEYRAIL_EXPIRY_MAIL', 'off', 'expiryMail', false],
];

for (const [name, text, field, value] of accepted) {
  test(`${name}=${text} is accepted`, () => {
    deepEqual(fieldsOf(configOf({ [name]: text }))[field], value);
  });
}

const refusals: [string, string][] = [
  ['KEYRAIL_PORT', '-1'],
  ['KEYRAIL_PORT', '65536'],
  ['KEYRAIL_PORT', '44oo'],
  ['KEYRAIL_PORT', '4400.5'],
  ['KEYRAIL_PORT', '1e3'],
  ['KEYRAIL_PORT', ' 80'],
  ['KEYRAIL_PORT', '0x50'],
  ['KEYRAIL_PUBLIC_URL', 'keys.example.com'],
  ['KEYRAIL_PUBLIC_URL', 'https://keys.example.com/'],
  ['KEYRAIL_PUBLIC_URL', 'https://keys.example.com/path'],
  ['KEYRAIL_PUBLIC_URL', 'ftp://keys.example.com'],
  ['KEYRAIL_PUBLIC_URL', 'https://keys.example.com:99999'],
  ['KEYRAIL_PUBLIC_URL', 'https://keys%example.com'],
  ['KEYRAIL_PUBLIC_URL', 'https://keys.example.com?a'],
  ['KEYRAIL_HOST', 'not a host'],
  ['KEYRAIL_HOST', '256.1.1.1'],
  ['KEYRAIL_HOST', '127.0.0.1:4400'],
  ['KEYRAIL_DATABASE_CONNECTIONS', '0'],
  ['KEYRAIL_DATABASE_CONNECTIONS', '1001'],
  ['KEYRAIL_TRUST_PROXY', 'true'],
  ['KEYRAIL_TRUST_PROXY', '10.0.0.1,'],
  ['KEYRAIL_TRUST_PROXY', '10.0.0.0/33'],
  ['KEYRAIL_TRUST_PROXY', '::1, 10.0.0.5/8'],
  ['KEYRAIL_TRUST_PROXY', 'fe80::1%eth0'],
  ['KEYRAIL_TRUST_PROXY', 'proxy.internal'],
  ['KEYRAIL_LOG_LEVEL', 'loud'],
  ['KEYRAIL_LOG_LEVEL', 'INFO'],
  ['KEYRAIL_MAIL_FROM', 'nobody'],
  ['KEYRAIL_MAIL_FROM', '@'],
  ['KEYRAIL_MAIL_FROM', 'Keys <keys@example.com'],
  ['KEYRAIL_MAIL_FROM', 'a@b.example\r\nBcc: c@d.example'],
  ['KEYRAIL_PASSWORD_MIN', '7'],
  ['KEYRAIL_PASSWORD_MIN', '65'],
  ['KEYRAIL_AUTH_THROTTLE', 'no'],
  ['KEYRAIL_POLICY_PAGE_CEILING', '0'],
  ['KEYRAIL_POLICY_PAGE_CEILING', '100001'],
  ['KEYRAIL_REVOKE_WAIT_MS', '60001'],
  ['KEYRAIL_HOT_AUTH_TTL_MS', '60001'],
  ['KEYRAIL_INGEST_EVENTS_PER_MINUTE', '0'],
  ['KEYRAIL_USAGE_HOURS_DAYS', '0'],
  ['KEYRAIL_USAGE_HOURS_DAYS', '401'],
  ['KEYRAIL_REDIS_CLUSTER', 'yes'],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '59m'],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '366d'],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '30'],
  ['KEYRAIL_SIGNING_ROTATE_EVERY', '1.5h'],
  ['KEYRAIL_SIGNING_PUBLISH_WAIT', '299s'],
  ['KEYRAIL_SIGNING_PUBLISH_WAIT', '25h'],
  ['KEYRAIL_SIGNING_PUBLISH_WAIT', '-5m'],
  ['KEYRAIL_SCANNER_KEYS', 'http://scanner.example/keys'],
  ['KEYRAIL_SCANNER_KEYS', 'file:///etc/keys.json'],
];

for (const [name, text] of refusals) {
  test(`${name}=${JSON.stringify(text)} is rejected, and the error contains the setting's name and value`, () => {
    const faults = faultsOf({ [name]: text });
    equal(faults.length, 1, faults.join('\n'));
    equal(faults[0]?.startsWith(`${name} must be `), true, faults[0]);
    equal(faults[0]?.endsWith(`: ${text}`), true, faults[0]);
  });
}

test('the error about a trusted proxy quotes the invalid block and suggests the network that was probably meant', () => {
  const [fault] = faultsOf({ KEYRAIL_TRUST_PROXY: '::1, 10.0.0.5/8' });
  match(fault ?? '', /"10\.0\.0\.5\/8" has bits after the length; did you mean 10\.0\.0\.0\/8\?/);
});

test('PostgreSQL without a master key is rejected, and the error contains the command to generate one', () => {
  deepEqual(faultsOf({ DATABASE_URL: 'postgres://db/keyrail' }), [
    'KEYRAIL_MASTER_KEY is required with DATABASE_URL; generate one with openssl rand -base64 32',
  ]);
});

test('all errors are reported together, including unknown setting names', () => {
  const faults = faultsOf({
    KEYRAIL_PORT: 'x',
    KEYRAIL_LOG_LEVEL: 'x',
    KEYRAIL_PUBLIC_URL: 'x',
    DATABASE_URL: 'x',
    KEYRAIL_BOOTSTRAP_TOKEN: 'x',
    KEYRAIL_DATABASE_CONNECTIONS: 'x',
    KEYRAIL_PROT: 'hunter2',
    KEYRAIL_: '',
    keyrail_port: '1',
    PORT: 'x',
    NODE_ENV: 'x',
    KEYRAIL_TEST_STORE: 'postgres',
  });
  deepEqual(faults.map((fault) => /[A-Z_]{8,}/.exec(fault)?.[0]).toSorted(), [
    'DATABASE_URL',
    'KEYRAIL_',
    'KEYRAIL_BOOTSTRAP_TOKEN',
    'KEYRAIL_DATABASE_CONNECTIONS',
    'KEYRAIL_LOG_LEVEL',
    'KEYRAIL_MASTER_KEY',
    'KEYRAIL_PORT',
    'KEYRAIL_PROT',
    'KEYRAIL_PUBLIC_URL',
  ]);
  match(faults.join('\n'), /unknown setting KEYRAIL_PROT; for a list, run keyrail-server help/);
  equal(faults.join('\n').includes('hunter2'), false, 'a misspelt secret must not be printed');
});

test('the default public URL is valid, even for an IPv6 host', () => {
  for (const [host, url] of [
    ['::1', 'http://[::1]:4400'],
    ['::', 'http://[::]:4400'],
    ['keys.local', 'http://keys.local:4400'],
  ] as const) {
    const publicUrl = urlOf(configOf({ KEYRAIL_HOST: host }).listening);
    equal(publicUrl, url);
    ok(URL.canParse(publicUrl));
  }
});

test('DATABASE_URL accepts every form that the driver accepts', () => {
  for (const url of [
    'postgres://db/keyrail',
    'postgresql://me:word@[::1]:5432/keyrail?sslmode=require',
    'postgres:///keyrail?host=/run/postgresql',
    'postgres://me:word@/keyrail?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/keyrail',
  ]) {
    const given = { DATABASE_URL: url, KEYRAIL_MASTER_KEY: MASTER_KEY };
    equal(configOf(given).store.databaseUrl?.reveal(), url);
  }
});
