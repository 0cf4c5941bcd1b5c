// What issuing an embed token needs to know, in one statement.
import { sql } from 'kysely';
import { one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';

export type IssuingFacts = {
  /** Null when there is no such project, or tenant, that lives. */
  projectId: string | null;
  tenantId: string | null;
  externalId: string | null;
  epoch: number | null;
  /** Registered by the workspace. */
  origins: string[];
  /** Of the key that signs at this moment; null when there is none yet. */
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
        -- Of those whose time has come the newest. A clock that was set back finds none.
        (select id from signing_keys where ends_at is null or ends_at > moment.now
          order by signs_from > moment.now,
            case when signs_from > moment.now then signs_from end,
            signs_from desc
          limit 1) as kid
      from (select app_now() as now) moment cross join workspaces workspace
        left join projects project on project.id = ${projectId} and project.deleted_at is null
        left join tenants tenant on tenant.id = ${tenantId} and tenant.deleted_at is null`,
  );
