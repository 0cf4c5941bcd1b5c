// Fills in the form from another key, for "Create a key like this".
import type { Answer, Item } from '@keyrail/client';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { limitsOf } from '../../ui/controls/limits.ts';
import { emptyKey, type NewKey } from './form.ts';
import styles from './new-key.module.css';
import { texts } from './texts.ts';

type ApiKey = Answer<'GET /v1/keys/{id}'>;
type Form = (like: NewKey) => ReactNode;
type Props = { id: string; children: Form };

export function LikeKey({ id, children }: Props) {
  const key = useApi('GET /v1/keys/{id}', { params: { id } });
  return (
    <Loaded query={key} failed={texts.like.failed}>
      {(like) => <Placed like={like}>{children}</Placed>}
    </Loaded>
  );
}

/** If the project or tenant has been deleted, the user has to choose a different one. */
function Placed({ like, children }: { like: ApiKey; children: Form }) {
  const projects = useApi('GET /v1/projects', { query: { id: [like.project_id] } });
  const tenants = useApi('GET /v1/tenants', { query: { id: [like.tenant_id] } });
  return (
    <Loaded query={projects} failed={texts.like.failed}>
      {({ data: [project] }) => (
        <Loaded query={tenants} failed={texts.like.failed}>
          {({ data: [tenant] }) => (
            <>
              <p className={styles.origin}>
                {texts.like.from(like.name ?? like.display_prefix)}{' '}
                {Object.keys(like.meta).length > 0 && texts.like.meta}
              </p>
              {children(formOf(like, project, tenant))}
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function formOf(
  { name, scopes, rate_limits: rules, meta }: ApiKey,
  project: Item<'GET /v1/projects'> | undefined,
  tenant: Item<'GET /v1/tenants'> | undefined,
): NewKey {
  return {
    ...emptyKey,
    project: project
      ? {
          id: project.id,
          label: project.name,
          reference: project.slug,
          rules: project.default_rate_limits,
        }
      : emptyKey.project,
    tenant: tenant
      ? {
          id: tenant.id,
          label: tenant.name ?? tenant.external_id,
          reference: tenant.external_id,
        }
      : emptyKey.tenant,
    name: name ?? '',
    scopes,
    limits: limitsOf(rules),
    meta,
  };
}
