import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { type MintedSecretKey, mintSecretKey } from '../secret-keys/material.ts';
import { insertWorkspace, type WorkspaceRow } from './rows.ts';

export type NewWorkspace = {
  name: string;
  slug: string;
  billingEmail: string | null;
  env: Env;
};

export type FoundedWorkspace = { workspace: WorkspaceRow; secretKey: MintedSecretKey };

/** Founds the workspace that the transaction already reaches, with its first secret key. */
export async function createWorkspace(
  tx: Write,
  { name, slug, billingEmail, env }: NewWorkspace,
): Promise<Change<FoundedWorkspace>> {
  const workspace = await insertWorkspace(tx, {
    id: tx.reach.workspaceId,
    name,
    slug,
    billingEmail,
    embedOrigins: [],
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  const secretKey = await mintSecretKey(tx, {
    env,
    name: null,
    meta: {},
    expiresAt: null,
    authority: 'owner',
  });
  return changed({ workspace, secretKey }, [
    { action: 'workspace.created', target: workspace.id, payload: { slug } },
    {
      action: 'secret_key.created',
      target: secretKey.row.id,
      payload: { env, display_prefix: secretKey.row.displayPrefix },
    },
  ]);
}
