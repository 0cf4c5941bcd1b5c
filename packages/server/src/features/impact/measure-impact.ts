import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { unreachable } from '../../base/assert.ts';
import type { Affected, Check } from '../../doors/plan.ts';
import { allEnvs, type Env } from '../../doors/reach.ts';
import { partitionsOf } from '../keys/list-partition.ts';
import { countNodes } from '../policy/node.rows.ts';
import { addKeys, type KeySums, NO_KEYS } from './key-sums.ts';
import { countKeys, countMintedKeys, countSecretKey, KEYS_PER_STATEMENT } from './rows.ts';

export type Measured = KeySums & { nodes: number };

/** The keys of one tenant may be in many projects. Of more, the nodes are not counted. */
const PROJECTS_MAX = 100;

/** Counts what a change would affect. Looks at IMPACT_KEYS_MAX keys at most, newest first. */
export async function measureImpact(tx: Check, affected: Affected): Promise<Measured> {
  const nodesOf = async (projectIds: readonly string[] | null, envs: readonly Env[]) =>
    (await countNodes(tx, { projectIds, envScopes: ['all', ...envs] })).total;
  switch (affected.kind) {
    case 'api_key': {
      const { id, projectId, env, isChanged } = affected;
      const sums = isChanged ? await sumKey(tx, id) : NO_KEYS;
      return { ...sums, nodes: await nodesOf([projectId], [env]) };
    }
    case 'keys of a tenant': {
      const sums = await sumKeys(tx, { under: { tenantId: affected.tenantId } });
      const projectIds = [...sums.projectIds].slice(0, PROJECTS_MAX);
      return { ...sums, nodes: await nodesOf(projectIds, [...sums.envs]) };
    }
    case 'keys of a project': {
      const { projectId } = affected;
      const sums = await sumKeys(tx, { under: { projectId } });
      return { ...sums, nodes: await nodesOf([projectId], allEnvs) };
    }
    case 'keys that inherit': {
      const { projectId, isChanged } = affected;
      const walk = { under: { projectId }, onlyInheriting: true };
      const sums = isChanged ? await sumKeys(tx, walk) : NO_KEYS;
      return { ...sums, nodes: await nodesOf([projectId], allEnvs) };
    }
    case 'secret_key': {
      const { id, env, isChanged } = affected;
      const counts = isChanged ? await countSecretKey(tx, id) : {};
      // A node does not say which secret key it uses. One of test can only follow test.
      const { total: nodes } = await countNodes(tx, {
        projectIds: null,
        envScopes: env === 'test' ? ['test'] : ['all', ...allEnvs],
      });
      return { ...NO_KEYS, ...counts, nodes };
    }
    case 'secret keys of a person':
      return { ...(await sumMintedKeys(tx, affected.userId)), nodes: 0 };
    default:
      return unreachable(affected);
  }
}

async function sumKey(tx: Check, id: string): Promise<KeySums> {
  const one = { under: { id }, shelf: null, onlyInheriting: false, after: null, limit: 1 };
  return addKeys(NO_KEYS, await countKeys(tx, one), []);
}

type Walk = {
  under: { tenantId: string } | { projectId: string };
  onlyInheriting?: boolean;
};

/** All unrevoked keys under a parent: those that a deletion revokes. */
async function sumKeys(tx: Check, { under, onlyInheriting = false }: Walk): Promise<KeySums> {
  let sums = NO_KEYS;
  for (const env of allEnvs) {
    const [shelf = null] = partitionsOf([env], { includeRevoked: false });
    let limit: number;
    let page: Awaited<ReturnType<typeof countKeys>> = null;
    do {
      limit = Math.min(KEYS_PER_STATEMENT, IMPACT_KEYS_MAX - sums.read);
      const range = { under, shelf, onlyInheriting, after: page };
      if (limit === 0) {
        const isCut = (await countKeys(tx, { ...range, limit: 1 })) !== null;
        if (isCut) return { ...sums, isCut };
        break;
      }
      page = await countKeys(tx, { ...range, limit });
      sums = addKeys(sums, page, [env]);
    } while (page?.read === limit);
  }
  return sums;
}

async function sumMintedKeys(tx: Check, userId: string): Promise<KeySums> {
  let sums = NO_KEYS;
  let beforeSeq: number | null = null;
  do {
    const page = await countMintedKeys(tx, userId, { beforeSeq, limit: KEYS_PER_STATEMENT });
    sums = addKeys(sums, page, []);
    beforeSeq = page.read === KEYS_PER_STATEMENT ? page.seq : null;
  } while (beforeSeq !== null && sums.read < IMPACT_KEYS_MAX);
  return { ...sums, isCut: beforeSeq !== null };
}
