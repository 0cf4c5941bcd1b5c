import { IMPACT_KEYS_MAX, IMPACT_PLACES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { unreachable } from '../../base/assert.ts';
import type { Affected, Check, Foreseen } from '../../doors/plan.ts';
import { allEnvs } from '../../doors/reach.ts';
import { partitionsOf } from '../keys/list-partition.ts';
import { countLiveNodes, countUnableNodes, type NodeSelection } from '../policy/node-count.rows.ts';
import { addKeys, addSecretKeys, type KeySums, NO_KEYS } from './key-sums.ts';
import {
  countKeys,
  countMintedKeys,
  countSecretKey,
  KEYS_PER_STATEMENT,
  type KeyCounts,
} from './rows.ts';

/**
 * `nodes` is how many nodes the change concerns, and `unableNodes` is how many of these would
 * reject a key that they accept now.
 */
export type Measured = KeySums & { nodes: number; unableNodes: number };

/** Counts what a change would affect. Examines at most IMPACT_KEYS_MAX keys, newest first. */
export async function measureImpact(
  tx: Check,
  { affected, values }: Pick<Foreseen, 'affected' | 'values'>,
): Promise<Measured> {
  const counted = async (sums: KeySums, filter: NodeSelection) => ({
    ...sums,
    nodes: (await countLiveNodes(tx, filter)).total,
    unableNodes: 0,
  });
  switch (affected.kind) {
    case 'api_key': {
      const sums = affected.isChanged ? await sumKey(tx, affected) : NO_KEYS;
      const measured = await counted(sums, { changes: [affected] });
      if (!values || !affected.isChanged) return measured;
      return { ...measured, unableNodes: await countUnableNodes(tx, affected, values) };
    }
    case 'keys of a tenant': {
      const sums = await sumKeys(tx, { under: { tenantId: affected.tenantId } });
      const isCapped = sums.isCapped || sums.places.length > IMPACT_PLACES_MAX;
      return counted({ ...sums, isCapped }, { changes: sums.places.slice(0, IMPACT_PLACES_MAX) });
    }
    case 'keys of a project':
    case 'keys that inherit': {
      const { projectId } = affected;
      const onlyInheriting = affected.kind === 'keys that inherit';
      const isChanged = !onlyInheriting || affected.isChanged;
      const sums = isChanged
        ? await sumKeys(tx, { under: { projectId }, onlyInheriting })
        : NO_KEYS;
      return counted(sums, { changes: allEnvs.map((env) => ({ projectId, env })) });
    }
    case 'secret_key': {
      const { id, env, isChanged } = affected;
      const sums = isChanged ? addSecretKeys(NO_KEYS, await countSecretKey(tx, id)) : NO_KEYS;
      // Nodes don't report which secret key they use, so every node that could be using this one is
      // counted. A test key can only read the test feed.
      return counted(sums, { envScopes: env === 'test' ? ['test'] : ['all', ...allEnvs] });
    }
    case 'secret keys of a person':
      return { ...(await sumMintedKeys(tx, affected.userId)), nodes: 0, unableNodes: 0 };
    default:
      return unreachable(affected);
  }
}

async function sumKey(
  tx: Check,
  { id, env }: Extract<Affected, { kind: 'api_key' }>,
): Promise<KeySums> {
  const one = { under: { id }, shelf: null, onlyInheriting: false, after: null, limit: 1 };
  return addKeys(NO_KEYS, await countKeys(tx, one), env);
}

type Walk = {
  under: { tenantId: string } | { projectId: string };
  onlyInheriting?: boolean;
};

/**
 * Sums over the unrevoked keys of a project or tenant. These are the keys that would be revoked if
 * it were deleted.
 */
async function sumKeys(tx: Check, { under, onlyInheriting = false }: Walk): Promise<KeySums> {
  let sums = NO_KEYS;
  for (const env of allEnvs) {
    const [shelf = null] = partitionsOf([env], { includeRevoked: false });
    let limit: number;
    let page: KeyCounts | null = null;
    do {
      limit = Math.min(KEYS_PER_STATEMENT, IMPACT_KEYS_MAX - sums.read);
      const range = { under, shelf, onlyInheriting, after: page };
      if (limit === 0) {
        const next = await countKeys(tx, { ...range, limit: 1 });
        if (next === null) break;
        // There are more keys than the limit. The next one is counted, but its recent use isn't.
        return { ...sums, keys: sums.keys + next.keys, isCapped: true };
      }
      page = await countKeys(tx, { ...range, limit });
      sums = addKeys(sums, page, env);
    } while (page?.read === limit);
  }
  return sums;
}

async function sumMintedKeys(tx: Check, userId: string): Promise<KeySums> {
  let sums = NO_KEYS;
  let beforeSeq: number | null = null;
  do {
    const page = await countMintedKeys(tx, userId, { beforeSeq, limit: KEYS_PER_STATEMENT });
    sums = addSecretKeys(sums, page);
    beforeSeq = page.read === KEYS_PER_STATEMENT ? page.seq : null;
  } while (beforeSeq !== null && sums.read < IMPACT_KEYS_MAX);
  if (beforeSeq === null) return sums;
  const next = await countMintedKeys(tx, userId, { beforeSeq, limit: 1 });
  return { ...sums, isCapped: next.read > 0 };
}
