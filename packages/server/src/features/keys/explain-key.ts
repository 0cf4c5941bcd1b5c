import { isImportable } from '@keyrail/protocol/wire/imported-key.ts';
import { apiKeyEnv, lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import type { Recording } from '../../doors/door.ts';
import { allEnvs, type Env } from '../../doors/reach.ts';
import { countLiveNodes, type NodeCounts } from '../policy/node-count.rows.ts';
import { loadHead } from '../policy/rows.ts';
import { checksOf } from './key-checks.ts';
import { findKey, hasImportedKeys, type KeyRow } from './rows.ts';

type Question = {
  /** The full key, or its ID. */
  key: { text: string } | { id: string };
  projectId: string | undefined;
  env: Env | undefined;
  scopes: readonly string[];
  /** The time of the request; undefined means now. */
  at: Date | undefined;
};

export type Explanation = ReturnType<typeof checksOf> & {
  key: KeyRow | null;
  policyVersion: number | null;
  nodes: NodeCounts;
};

const NO_NODES: NodeCounts = { total: 0, current: 0 };

/** Decides whether to allow a key, as one of the project's nodes would, and explains why. */
export async function explainKey(
  tx: Recording,
  { key: named, projectId, env, scopes, at = tx.now }: Question,
): Promise<Explanation> {
  const key = await findNamed(tx, named);
  const id = projectId ?? key?.projectId;
  const head = id === undefined ? null : await loadHead(tx, id);
  const text = 'text' in named ? named.text : null;
  const project = id !== undefined && head !== null ? { id, isDeleted: head.isDeleted } : null;
  const seenBy = key?.env ?? (text === null ? null : apiKeyEnv(text));
  const nodes = project
    ? await countLiveNodes(tx, {
        changes: (seenBy === null ? allEnvs : [seenBy]).map((seen) => ({
          projectId: project.id,
          env: seen,
        })),
      })
    : NO_NODES;
  const holdsImported =
    text !== null && isImportable(text) && (await hasImportedKeys(tx, project?.id));
  const verdict = checksOf({ text, key, holdsImported, project, env, scopes, at });
  return { ...verdict, key, policyVersion: head?.version ?? null, nodes };
}

/** Finds a key as a node would: a string is only hashed and looked up if it could be a key. */
async function findNamed(tx: Recording, named: Question['key']): Promise<KeyRow | null> {
  if ('id' in named) return findKey(tx, { id: named.id });
  const isImported = isImportable(named.text);
  if (!isImported && apiKeyEnv(named.text) === null) return null;
  const key = await findKey(tx, { lookupHash: Buffer.from(lookupHash(named.text), 'hex') });
  return key?.imported === isImported ? key : null;
}
