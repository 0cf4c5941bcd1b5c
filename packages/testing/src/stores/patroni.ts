/**
 * PostgreSQL with a synchronous replica under Patroni, on loopback, for the duration of a test. A
 * member consists of Patroni and its PostgreSQL, which are killed, frozen and started together, as
 * if the member were a host.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../ports.ts';
import { ask } from '../processes/http.ts';
import { until } from '../until.ts';
import { createDaemon } from './daemon.ts';
import type { Etcd } from './etcd.ts';
import { findPostgres } from './postgres-binaries.ts';
import { guardPostmasters, openPostmaster } from './postmaster.ts';
import { type Account, makeScratch, unprivilegedAccount } from './scratch.ts';

export type Member = {
  name: string;
  port: number;
  restPort: number;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
};

export type Patroni = {
  members: Member[];
  primary(): Promise<Member>;
  replica(): Promise<Member>;
  /** True while one member is the primary and the other its synchronous replica. */
  isWhole(): Promise<boolean>;
  /** Runs one statement as the superuser on the primary. */
  tell(statement: string, database?: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

/**
 * Returns the port of a proxy in front of the given port. `n` is a member's number: its `peer`
 * proxies carry the other member's connections to it, and its `etcd` proxies carry its own
 * connections to etcd.
 */
type Wiring = (n: number, port: number, kind: 'peer' | 'etcd') => Promise<number>;

type Timing = { ttl: number; loopWait: number; retryTimeout: number };

/** In seconds. 20 is the shortest `ttl` that Patroni recommends, and is enough for two retries. */
const TIMING: Timing = { ttl: 20, loopWait: 2, retryTimeout: 8 };
const MEMBERS = 2;
const ASK_MS_MAX = 2_000;
const FORMED_MS_MAX = 90_000;
const SETTINGS_MODE = 0o644;

type Options = { etcd: Etcd; wiring?: Wiring; timing?: Timing };

export async function startPatroni(options: Options): Promise<Patroni> {
  const { etcd, wiring = async (_, port) => port, timing = TIMING } = options;
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  const account = unprivilegedAccount(['postgres', 'nobody']);
  const scratch = makeScratch('patroni', account);
  const members: Member[] = [];
  for (let n = 0; n < MEMBERS; n += 1) {
    const own = { port: await freePort(), restPort: await freePort() };
    const place: Place = {
      name: `pg${n}`,
      bin: found.bin,
      scratch,
      own,
      reached: {
        port: await wiring(n, own.port, 'peer'),
        restPort: await wiring(n, own.restPort, 'peer'),
      },
      etcdPorts: await Promise.all(etcd.members.map(({ port }) => wiring(n, port, 'etcd'))),
      timing,
    };
    members.push(createMember(place, account));
  }
  const directories = members.map(({ name }) => join(scratch, name));
  const { endNow: end } = guardPostmasters(scratch, directories);
  process.once('exit', end);
  const close = async () => {
    for (const member of members) await member.kill();
    end();
    process.off('exit', end);
  };
  const patroni = withRoles(members, close);
  try {
    await Promise.all(members.map((member) => member.start()));
    await until(patroni.isWhole, FORMED_MS_MAX);
    await patroni.tell('create role keyrail login noinherit createrole nosuperuser');
    await patroni.tell('create database keyrail owner keyrail');
  } catch (error) {
    await close();
    throw error;
  }
  return patroni;
}

function withRoles(members: Member[], close: () => Promise<void>): Patroni {
  const having = async (role: string): Promise<Member> => {
    for (const member of members) if (await isRole(member, role)) return member;
    throw new Error(`no member is ${role}`);
  };
  const primary = () => having('primary');
  return {
    members,
    primary,
    replica: () => having('replica'),
    isWhole: async () => {
      const count = async (role: string) => {
        const have = await Promise.all(members.map((one) => isRole(one, role)));
        return have.filter(Boolean).length;
      };
      const [primaries, synchronous] = await Promise.all([count('primary'), count('sync')]);
      return primaries === 1 && synchronous === MEMBERS - 1;
    },
    tell: async (statement, database = 'postgres') => {
      const { port } = await primary();
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(statement)).rows;
      } finally {
        await client.end();
      }
    },
    close,
  };
}

async function isRole({ restPort }: Member, role: string): Promise<boolean> {
  const url = `http://127.0.0.1:${restPort}`;
  const outcome = await ask(url, { path: `/${role}`, timeoutMs: ASK_MS_MAX });
  return outcome.kind === 'answered' && outcome.status === 200;
}

type Ports = { port: number; restPort: number };

type Place = {
  name: string;
  bin: string;
  scratch: string;
  own: Ports;
  reached: Ports;
  etcdPorts: number[];
  timing: Timing;
};

function createMember(place: Place, account: Account | null): Member {
  const { name, scratch, own } = place;
  const settings = join(scratch, `${name}.yml`);
  // JSON is valid YAML.
  writeFileSync(settings, JSON.stringify(settingsOf(place)), { mode: SETTINGS_MODE });
  const postmaster = openPostmaster(join(scratch, name));
  const daemon = createDaemon({
    words: ['patroni', settings],
    account,
    log: join(scratch, `${name}.log`),
    env: { HOME: scratch, LC_ALL: 'C.UTF-8' },
    isReady: async () => {
      const url = `http://127.0.0.1:${own.restPort}`;
      const outcome = await ask(url, { path: '/liveness', timeoutMs: ASK_MS_MAX });
      return outcome.kind !== 'lost';
    },
  });
  return {
    name,
    ...own,
    start: daemon.start,
    kill: async () => {
      await daemon.kill(); // Patroni is killed first, because it would restart PostgreSQL
      await postmaster.kill();
    },
    freeze: () => {
      daemon.signal('SIGSTOP');
      postmaster.freeze();
    },
    thaw: () => {
      postmaster.thaw();
      daemon.signal('SIGCONT');
    },
  };
}

function settingsOf({ name, bin, scratch, own, reached, etcdPorts, timing }: Place): object {
  const at = (port: number) => `127.0.0.1:${port}`;
  return {
    scope: 'keyrail',
    name,
    restapi: { listen: at(own.restPort), connect_address: at(reached.restPort) },
    // Without `use_proxies`, Patroni would ask etcd for its members' addresses and bypass our
    // proxies. The API is version 2: with version 3, a primary that was frozen takes the leader
    // lock back from its replacement (fixed in Patroni 3.0.3, pull request 2689).
    etcd: { hosts: etcdPorts.map(at), use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: timing.ttl,
        loop_wait: timing.loopWait,
        retry_timeout: timing.retryTimeout,
        // Only a replica that has every acknowledged commit may become the primary.
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 100, wal_sender_timeout: '5s', timezone: 'UTC' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, 'data-checksums'],
    },
    postgresql: {
      listen: at(own.port),
      connect_address: at(reached.port),
      data_dir: join(scratch, name),
      bin_dir: bin,
      pgpass: join(scratch, `${name}.pgpass`),
      use_unix_socket: true,
      basebackup: { checkpoint: 'fast' },
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: scratch },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
    },
  };
}
