import { ApiError } from '../../base/errors.ts';
import type { Entry } from '../../doors/actions.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { Minted } from '../credentials/new-credential.ts';
import { insertMember, loadActingPerson } from '../members/rows.ts';
import { unlimited } from '../secret-keys/key-limits.ts';
import { newSecretKey } from '../secret-keys/new-secret-key.ts';
import { insertSecretKey, type SecretKeyRow } from '../secret-keys/rows.ts';
import { updateActiveWorkspace } from '../sessions/rows.ts';
import { countCreatedWorkspaces, insertWorkspace, type WorkspaceRow } from './rows.ts';

type NewWorkspace = {
  name: string;
  slug: string;
  billingEmail: string | null;
  env: Env;
  /** The calling user; null if the workspace is created with the bootstrap token. */
  creator: { userId: string; sessionId: string; becomesActive: boolean } | null;
  /** The maximum number of workspaces a user may create and still own. */
  perPersonMax: number;
};

export type CreatedWorkspace = {
  workspace: WorkspaceRow;
  secretKey: Minted<SecretKeyRow>;
  ownerId: string | null;
};

/**
 * Creates a workspace (the transaction already has its ID) and its first secret key. If a user
 * makes the request, they become the owner, and the workspace becomes active in their session
 * unless another one already is.
 */
export async function createWorkspace(
  tx: Write,
  { name, slug, billingEmail, env, creator, perPersonMax }: NewWorkspace,
): Promise<Change<CreatedWorkspace>> {
  if (creator) await refuseBeyondPerson(tx, creator.userId, perPersonMax);
  const workspace = await insertWorkspace(tx, {
    id: tx.reach.workspaceId,
    name,
    slug,
    billingEmail,
    embedOrigins: [],
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: creator?.userId ?? null,
  });
  const usual = { name: null, meta: {}, expiresAt: null, ...unlimited };
  const first = { env, authority: 'owner' as const, ...usual };
  const { values, secret } = newSecretKey(tx, first);
  const secretKey = { row: await insertSecretKey(tx, values), secret };
  const joined = creator ? [await joinCreator(tx, creator, workspace.id)] : [];
  return changed({ workspace, secretKey, ownerId: creator?.userId ?? null }, [
    { action: 'workspace.created', target: workspace.id, payload: { slug } },
    ...joined,
    {
      action: 'secret_key.created',
      target: secretKey.row.id,
      payload: { env, display_prefix: secretKey.row.displayPrefix },
    },
  ]);
}

async function refuseBeyondPerson(tx: Write, userId: string, most: number): Promise<void> {
  const created = await countCreatedWorkspaces(tx, userId);
  if (created < most) return;
  throw new ApiError(
    'conflict',
    `You still own ${created} workspaces you created. This deployment allows at most ${most}.`,
  );
}

async function joinCreator(
  tx: Write,
  { userId, sessionId, becomesActive }: NonNullable<NewWorkspace['creator']>,
  workspaceId: string,
): Promise<Entry> {
  await insertMember(tx, { userId, role: 'owner' });
  if (becomesActive) await updateActiveWorkspace(tx, { userId, sessionId }, workspaceId);
  const { email } = await loadActingPerson(tx, userId);
  return {
    action: 'workspace_member.joined',
    target: userId,
    payload: { role: 'owner', email },
  };
}
