// The page for one tenant: its keys in this environment, monthly activity, embed tokens and
// metadata.
import { useApi } from '../../api/query.ts';
import { useParams } from '../../match.ts';
import { ResourcePage } from '../../parts/resources/resource-page.tsx';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { Activity } from './activity.tsx';
import { EditTenant } from './edit-tenant.tsx';
import { Embed } from './embed.tsx';
import { KeysOf } from './keys-of.tsx';
import styles from './tenant.module.css';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

export function Screen() {
  const scope = useScope();
  const { tenantId: id } = useParams('tenant');
  const tenant = useApi('GET /v1/tenants/{id}', { params: { id } });
  return (
    <ResourcePage
      kind="tenant"
      query={tenant}
      nameOf={({ name, external_id }) => name ?? external_id}
      texts={texts}
      list={{ label: texts.tenants, toList: texts.toTenants, to: paths.tenants(scope) }}
      Edit={EditTenant}
    >
      {(known) => <Parts tenant={known} />}
    </ResourcePage>
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
