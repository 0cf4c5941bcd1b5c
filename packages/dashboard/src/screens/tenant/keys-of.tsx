// The tenant's newest keys in this environment.
import type { Item } from '@keyrail/client';
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { KeyState } from '../../ui/content/key-state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import styles from './tenant.module.css';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

type ApiKey = Item<'GET /v1/keys'>;

const SHOWN = 10;

export function KeysOf({ tenant }: { tenant: Tenant }) {
  const scope = useScope();
  const { env } = scope;
  const keys = useApi('GET /v1/keys', { query: { tenant_id: tenant.id, env, limit: SHOWN } });
  const counts = useApi('GET /v1/keys/counts', { query: { by: 'tenant', env, id: [tenant.id] } });
  const [counted] = counts.data?.data ?? [];
  return (
    <Card
      bare
      title={texts.keys[env]}
      lead={counted && texts.counted(counted.active, counted.total)}
      aside={
        <Link to={paths.keys(scope)} search={{ tenant: tenant.id }}>
          {texts.allKeys(counted?.total)}
        </Link>
      }
    >
      <Loaded query={keys} failed={texts.keysFailed} skeleton={<SkeletonRows rows={3} />}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p className={styles.none}>
              {texts.noKeys[env]}{' '}
              {scope.mayChange && <Link to={paths.newKey(scope)}>{texts.newKey}</Link>}
            </p>
          ) : (
            <Table
              label={texts.keys[env]}
              columns={columnsOf((id) => paths.key({ ...scope, keyId: id }))}
              pages={[rows]}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsOf = (to: (id: string) => string): Column<ApiKey>[] => [
  {
    id: 'name',
    title: texts.keyName,
    width: 'minmax(120px, 2fr)',
    card: 'name',
    cell: ({ id, name }) => <Link to={to(id)}>{name ?? texts.unnamed}</Link>,
  },
  {
    id: 'state',
    title: texts.state,
    width: 'minmax(128px, 1fr)',
    card: 'state',
    cell: (key) => <KeyState of={key} />,
  },
  {
    id: 'prefix',
    title: texts.prefix,
    width: 'minmax(112px, 1fr)',
    card: 'fact',
    cell: ({ display_prefix }) => <code translate="no">{display_prefix}</code>,
  },
  {
    id: 'used',
    title: texts.lastUsed,
    width: '88px',
    card: 'fact',
    cell: ({ last_used_at }) => <Time at={last_used_at} never={texts.never} />,
  },
];
