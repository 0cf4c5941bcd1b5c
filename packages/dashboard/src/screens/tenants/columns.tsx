// The columns of the tenant list.
import { keyCountColumn } from '../../parts/resources/key-count-column.tsx';
import { paths } from '../../paths.ts';
import type { Scope } from '../../shell/scope.ts';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import type { Column } from '../../ui/tables/table.tsx';
import type { Tenant } from './figures.ts';
import { texts } from './texts.ts';

type Facts = {
  scope: Scope;
  counts: ReadonlyMap<string, number>;
  activity: ReadonlyMap<string, string>;
};

export const columnsOf = ({ scope, counts, activity }: Facts): Column<Tenant>[] => [
  {
    id: 'name',
    title: texts.name,
    width: 'minmax(152px, 2fr)',
    card: 'name',
    cell: ({ id, name, external_id }) => (
      <Link to={paths.tenant({ ...scope, tenantId: id })}>{name ?? external_id}</Link>
    ),
  },
  {
    id: 'external',
    title: texts.externalId,
    width: 'minmax(160px, 2fr)',
    card: 'state',
    cell: ({ external_id }) => <code translate="no">{external_id}</code>,
  },
  {
    id: 'activity',
    title: texts.activity,
    width: '128px',
    card: 'fact',
    cell: ({ id }) => <Time at={activity.get(id) ?? null} />,
  },
  {
    id: 'created',
    title: texts.created,
    width: '112px',
    card: 'none',
    isExtra: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  keyCountColumn(texts.keys[scope.env], counts),
];
