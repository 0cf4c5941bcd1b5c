// An etcd with one or three members on loopback, for the duration of a test.
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { ask } from '../processes/http.ts';
import { createDaemon, type Daemon } from './daemon.ts';
import { makeScratch, removeScratch, unprivilegedAccount } from './scratch.ts';

type EtcdMember = Daemon & { name: string; port: number };

export type Etcd = {
  members: EtcdMember[];
  /** The member the others follow. */
  leader(): Promise<EtcdMember>;
  isWhole(): Promise<boolean>;
  close(): Promise<void>;
};

/** Longer than etcd's default, so that on a busy machine, no member is mistaken for dead. */
const HEARTBEAT_MS = 200;
const ELECTION_MS = 2_000;
const ASK_MS_MAX = 1_000;

export async function startEtcd({ members: count = 1 } = {}): Promise<Etcd> {
  const account = unprivilegedAccount(['etcd', 'nobody']);
  const scratch = makeScratch('etcd', account);
  const end = () => removeScratch(scratch);
  process.once('exit', end);
  const places = await Promise.all(
    Array.from({ length: count }, async (_, n) => ({
      name: `etcd${n}`,
      port: await freePort(),
      peer: await freePort(),
    })),
  );
  const all = places.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',');
  const members = places.map(({ name, port, peer }): EtcdMember => {
    const own = `http://127.0.0.1:${port}`;
    const toPeers = `http://127.0.0.1:${peer}`;
    const words = ['etcd', '--name', name, '--data-dir', join(scratch, name)];
    words.push('--listen-client-urls', own, '--advertise-client-urls', own);
    words.push('--listen-peer-urls', toPeers, '--initial-advertise-peer-urls', toPeers);
    words.push('--initial-cluster', all, '--initial-cluster-state', 'new');
    words.push('--heartbeat-interval', `${HEARTBEAT_MS}`, '--election-timeout', `${ELECTION_MS}`);
    words.push('--enable-v2=true');
    const log = join(scratch, `${name}.log`);
    const daemon = createDaemon({ words, account, log, isReady: () => isHealthy(port) });
    return { ...daemon, name, port };
  });
  const close = async () => {
    for (const member of members) await member.kill();
    end();
    process.off('exit', end);
  };
  try {
    await Promise.all(members.map((member) => member.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    members,
    leader: () => leaderOf(members),
    isWhole: async () =>
      (await Promise.all(members.map(({ port }) => isHealthy(port)))).every(Boolean),
    close,
  };
}

/** True if the member is serving requests and its cluster has a leader. */
async function isHealthy(port: number): Promise<boolean> {
  const url = `http://127.0.0.1:${port}`;
  const outcome = await ask(url, { path: '/health', timeoutMs: ASK_MS_MAX });
  return outcome.kind === 'answered' && outcome.body.health === 'true';
}

async function leaderOf(members: readonly EtcdMember[]): Promise<EtcdMember> {
  for (const member of members) {
    const url = `http://127.0.0.1:${member.port}`;
    const asked = { method: 'POST', path: '/v3/maintenance/status', body: {} } as const;
    const outcome = await ask(url, { ...asked, timeoutMs: ASK_MS_MAX });
    if (outcome.kind !== 'answered' || outcome.status !== 200) continue;
    const { leader, header } = outcome.body;
    if (leader === Object(header).member_id) return member;
  }
  throw new Error('etcd has no leader');
}
