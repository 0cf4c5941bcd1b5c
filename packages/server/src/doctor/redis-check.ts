// Checks that Redis is reachable, is new enough and can store counters, and that every slot of a
// Cluster has a primary.
import { remarkOn } from '../volatile/redis-memory.ts';
import type { RedisSurvey, SurveyedServer } from '../volatile/redis-survey.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';

const VERSION_MIN = [6, 2] as const;
const SLOTS = 16_384;

export function checkRedis(
  { servers, silent }: RedisSurvey,
  { isCluster }: { isCluster: boolean },
): Outcome[] {
  const found = [
    ...silent.map(({ name, reason }) =>
      fault(
        `Can't reach Redis at ${name}: ${reason}`,
        'Start it, or correct REDIS_URL (host, port, user, password, TLS).',
      ),
    ),
    ...servers.flatMap((server) => faultsOf(server, isCluster)),
  ];
  if (found.length > 0) return found;
  const names = servers.map(({ name, version }) => `${name} (${version})`).join(', ');
  return [fine(`Redis is reachable: ${names}.`)];
}

function faultsOf(server: SurveyedServer, isCluster: boolean): Outcome[] {
  return [
    ...versionFaults(server),
    ...modeFaults(server, isCluster),
    ...memoryFaults(server),
    ...(server.cluster === null ? [] : clusterFaults(server, server.cluster)),
  ];
}

export function versionFaults({
  name,
  version,
}: Pick<SurveyedServer, 'name' | 'version'>): Outcome[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needed, andMinor] = VERSION_MIN;
  if (major > needed || (major === needed && minor >= andMinor)) return [];
  const wanted = VERSION_MIN.join('.');
  return [fault(`Redis at ${name} is version ${version}.`, `Upgrade it to ${wanted} or later.`)];
}

function modeFaults(server: SurveyedServer, isCluster: boolean): Outcome[] {
  const { name, isClusterNode, isReplica, refusal } = server;
  if (isCluster && !isClusterNode) {
    return [fault(`Redis at ${name} is not a Cluster.`, 'Set KEYRAIL_REDIS_CLUSTER=off.')];
  }
  if (!isCluster && isClusterNode) {
    return [fault(`Redis at ${name} is a node of a Cluster.`, 'Set KEYRAIL_REDIS_CLUSTER=on.')];
  }
  if (isReplica) {
    return [fault(`Redis at ${name} is a read-only replica.`, 'Point REDIS_URL at the primary.')];
  }
  if (refusal === null) return [];
  return [
    fault(
      `Redis at ${name} refuses to write a counter: ${refusal}`,
      'Allow the user to run scripts and to write keys that begin with kr: (EVAL, EVALSHA, SET).',
    ),
  ];
}

function memoryFaults({ name, memory }: SurveyedServer): Outcome[] {
  const remark = remarkOn([memory], null);
  if (remark === null) return [];
  const remedy = remark.includes('policy')
    ? 'Set maxmemory-policy noeviction: an evicted counter lets a caller exceed its limit.'
    : 'Raise maxmemory, or lower KEYRAIL_REDIS_COUNTERS_MAX: a full server rejects every check.';
  return [warning(`Redis at ${name}: ${remark}.`, remedy)];
}

function clusterFaults({ name, needsFullCoverage }: SurveyedServer, cluster: string): Outcome[] {
  const numberIn = (field: string) =>
    Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(cluster)?.[1]);
  const missing = SLOTS - numberIn('cluster_slots_ok');
  const isOk = /^cluster_state:ok/m.test(cluster);
  if (!isOk || missing > 0) {
    const state = isOk ? 'ok' : 'fail';
    return [
      fault(
        `Redis at ${name} reports Cluster state ${state}: ${missing} slots have no working primary.`,
        'Bring the failed primaries back, or move their slots: redis-cli --cluster fix.',
      ),
    ];
  }
  if (needsFullCoverage !== true) return [];
  return [
    warning(
      `Redis at ${name} stops serving when any slot of the Cluster has no primary.`,
      'Set cluster-require-full-coverage no on all nodes.',
    ),
  ];
}
