// The names of the files of a cache. They differ for each policy and for each secret key.
import { createHash } from 'node:crypto';
import type { Env } from '../../api/context.ts';
import type { Include } from '../../api/options.ts';
import type { Names } from './directory.ts';
import type { Belonging } from './format.ts';

export type CacheNaming = {
  secretKey: string;
  projectId: string;
  env: Env | null;
  tenantIds: readonly string[];
  include?: readonly Include[];
  /** Whether the cache holds signed responses. */
  isProven?: boolean;
};

/** Without `include` and proofs, the name of the file is the same as in earlier versions. */
export const belongingOf = (naming: CacheNaming): Belonging => {
  const { projectId, env, tenantIds, include = [], isProven = false } = naming;
  return {
    projectId,
    env,
    tenantIds,
    ...(include.length > 0 && { include }),
    ...(isProven && { isProven }),
  };
};

export function namesOf(naming: CacheNaming): Names {
  const ofPolicy = `keyrail-${hexOf(JSON.stringify(belongingOf(naming)), 16)}`;
  const ofKey = hexOf(`keyrail policy cache ${naming.secretKey}`, 8);
  return { ofPolicy, own: `${ofPolicy}-${ofKey}` };
}

const hexOf = (text: string, chars: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, chars);
