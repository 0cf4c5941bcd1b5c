// One tenant: its keys in this environment, activity per month, embed tokens and metadata.
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/query.ts';
import { DeleteDialog } from '../../deletion/delete-dialog.tsx';
import { paths } from '../../paths.ts';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { KeyText } from '../../ui/secret.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { Activity } from './activity.tsx';
import { EditTenant } from './edit-tenant.tsx';
import { Embed } from './embed.tsx';
import { KeysOf } from './keys-of.tsx';
import styles from './tenant.module.css';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

export function Screen() {
  const scope = useScope();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const tenant = useApi('GET /v1/tenants/{id}', { params: { id } });
  const name = tenant.data?.name ?? tenant.data?.external_id ?? texts.loading;
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  const crumbs = [{ label: texts.tenants, to: paths.tenants(scope) }];
  return (
    <Page
      title={tenant.error && !tenant.data ? texts.loading : name}
      crumbs={crumbs}
      actions={
        tenant.data &&
        scope.mayChange && (
          <>
            <Button icon="edit" onClick={() => setOpen('edit')}>
              {texts.edit}
            </Button>
            <Button kind="danger" icon="trash" onClick={() => setOpen('delete')}>
              {texts.remove}
            </Button>
          </>
        )
      }
    >
      <ReadOnly />
      <Loaded query={tenant} failed={texts.failed} skeleton={<SkeletonRows />} gone={<NoTenant />}>
        {(known) => (
          <>
            <Parts tenant={known} />
            {open === 'edit' && <EditTenant tenant={known} onClose={close} />}
            {open === 'delete' && (
              <DeleteDialog
                kind="tenant"
                id={known.id}
                name={name}
                onClose={close}
                onDeleted={() => navigate({ to: paths.tenants(scope) })}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function NoTenant() {
  const scope = useScope();
  const action = <LinkButton to={paths.tenants(scope)}>{texts.toTenants}</LinkButton>;
  return (
    <Gone title={texts.goneTitle} action={action}>
      {texts.gone}
    </Gone>
  );
}

const Parts = ({ tenant }: { tenant: Tenant }) => (
  <div className={styles.columns}>
    <div className={styles.column}>
      <KeysOf tenant={tenant} />
      <Activity tenant={tenant} />
    </div>
    <div className={styles.column}>
      <Card title={texts.facts}>
        <Facts
          facts={[
            {
              name: texts.externalId,
              value: <KeyText text={tenant.external_id} of={texts.externalId} />,
            },
            { name: texts.id, value: <KeyText text={tenant.id} of={texts.id} /> },
            { name: texts.created, value: <Time at={tenant.created_at} /> },
            { name: texts.updated, value: <Time at={tenant.updated_at} /> },
          ]}
        />
      </Card>
      <Embed tenant={tenant} />
      <Card title={texts.meta}>
        {Object.keys(tenant.meta).length === 0 ? (
          <p className={styles.none}>{texts.noMeta}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard
          <pre className={styles.meta} tabIndex={0} translate="no">
            {JSON.stringify(tenant.meta, null, 2)}
          </pre>
        )}
      </Card>
    </div>
  </div>
);
