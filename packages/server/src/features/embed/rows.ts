// Loads everything needed to issue an embed token, in one statement.
import { sql } from '../../base/sql.ts';
import { one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import { currentSigner } from '../../signing/gate.rows.ts';

export type IssuingFacts = {
  /** Null if the project doesn't exist or has been deleted. `tenantId` works in the same way. */
  projectId: string | null;
  tenantId: string | null;
  externalId: string | null;
  epoch: number | null;
  /** The workspace's registered origins. */
  origins: string[];
  /** The current signing key's ID; null if there is none yet. */
  kid: string | null;
  now: Date;
};

export const loadIssuingFacts = (
  tx: Read,
  { projectId, tenantId }: { projectId: string; tenantId: string },
): Promise<IssuingFacts> =>
  one(
    tx,
    sql<IssuingFacts>`
      select project.id as project_id, tenant.id as tenant_id, tenant.external_id,
        tenant.embed_epoch as epoch, workspace.embed_origins as origins, moment.now,
        ${currentSigner('embed_token')} as kid
      from (select app_now() as now) moment cross join workspaces workspace
        left join projects project on project.id = ${projectId} and project.deleted_at is null
        left join tenants tenant on tenant.id = ${tenantId} and tenant.deleted_at is null`,
  );
