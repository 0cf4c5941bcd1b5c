// Reads all settings. This is a pure function: given an environment, it returns warnings, and
// either a frozen config or all errors.
import { isIP } from 'node:net';
import { checkNames } from '@keyrail/protocol/wire/setting-names.ts';
import { audit, auditOf } from './settings/audit.ts';
import { backups, backupsOf } from './settings/backups.ts';
import { counters } from './settings/counters.ts';
import { embed, scanner } from './settings/embed.ts';
import { events } from './settings/events.ts';
import { http } from './settings/http.ts';
import { listening } from './settings/listening.ts';
import { mail, mailIn } from './settings/mail.ts';
import { logging, monitoring } from './settings/monitoring.ts';
import { people, peopleWith } from './settings/people.ts';
import { policy } from './settings/policy.ts';
import { quotas } from './settings/quotas.ts';
import { createReader, type Environment, nameIn, type Reader } from './settings/reader.ts';
import { secrets } from './settings/secrets.ts';
import type { Group, Setting } from './settings/setting.ts';
import { signing } from './settings/signing.ts';
import { store } from './settings/store.ts';
import { readTraces, traces } from './settings/traces.ts';
import { redisAddresses } from './volatile/redis-addresses.ts';

const groups: readonly Group[] = [
  listening,
  store,
  counters,
  secrets,
  http,
  mail,
  people,
  policy,
  signing,
  scanner,
  embed,
  quotas,
  backups,
  audit,
  events,
  monitoring,
  traces,
  logging,
];

/** All settings, in the order in which `keyrail-server help` lists them. */
export const settings: readonly Setting[] = groups.flatMap((group) => Object.values(group));

/** The values of all settings, by group. */
export type Config = Readonly<ReturnType<typeof valuesIn>>;

function valuesIn(env: Environment, { one, all }: Reader) {
  const stored = all(store);
  const mailed = mailIn(all(mail), stored);
  return {
    /**
     * `portFrom` is the name of the variable that the port comes from; null if the default port is
     * used.
     */
    listening: { ...all(listening), portFrom: nameIn(env, listening.port) },
    store: stored,
    counters: all(counters),
    secrets: all(secrets),
    http: all(http),
    mail: mailed,
    people: peopleWith(all(people), mailed),
    policy: all(policy),
    signing: all(signing),
    scanner: all(scanner),
    embed: all(embed),
    quotas: all(quotas),
    backups: backupsOf(all(backups), stored),
    audit: auditOf(all(audit)),
    events: all(events),
    monitoring: all(monitoring),
    /** Null if tracing is disabled. */
    traces: readTraces({ one, all }),
    logging: all(logging),
    /**
     * Whether the server was started with `npm start`, in which case the URL is printed even
     * without a terminal.
     */
    isByNpmStart: env.npm_lifecycle_event === 'start',
  };
}

export type ConfigResult = { warnings: string[] } & ({ config: Config } | { faults: string[] });

export function readConfig(env: Environment): ConfigResult {
  const { faults, ...reader } = createReader(env);
  const config = valuesIn(env, reader);
  const known = settings.map(({ name }) => name);
  const names = checkNames(env, { program: 'keyrail-server', known });
  const all = [...faults(), ...contradictionsIn(config, env), ...names.faults];
  const warnings = names.ofClients.map(
    (name) => `ignoring ${name}: it's a client setting, not a server setting`,
  );
  if (all.length > 0) return { faults: all, warnings };
  for (const group of Object.values(config)) Object.freeze(group);
  return { config: Object.freeze(config), warnings };
}

/** Settings that are valid on their own, but not together. */
function contradictionsIn({ counters: { redisCluster } }: Config, env: Environment): string[] {
  const faults: string[] = [];
  if (env.DATABASE_URL && !env.KEYRAIL_MASTER_KEY) {
    faults.push(
      'KEYRAIL_MASTER_KEY is required with DATABASE_URL; generate one with openssl rand -base64 32',
    );
  }
  if (redisCluster && !/^rediss?:/.test(env.REDIS_URL ?? '')) {
    faults.push('KEYRAIL_REDIS_CLUSTER requires a REDIS_URL with redis:// or rediss://');
  }
  if (!redisCluster && redisAddresses(env.REDIS_URL ?? '').length > 1) {
    faults.push('REDIS_URL lists several hosts, which requires KEYRAIL_REDIS_CLUSTER=on');
  }
  return faults;
}

export const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
