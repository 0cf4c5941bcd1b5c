// The columns of the project list.
import type { Item } from '@keyrail/client';
import { keyCountColumn } from '../../parts/resources/key-count-column.tsx';
import { paths } from '../../paths.ts';
import type { Scope } from '../../shell/scope.ts';
import { Time } from '../../ui/content/time.tsx';
import { ruleText } from '../../ui/controls/limits.ts';
import { Link } from '../../ui/controls/link.tsx';
import type { Column } from '../../ui/tables/table.tsx';
import { texts } from './texts.ts';

export type Project = Item<'GET /v1/projects'>;

export const columnsOf = (scope: Scope, counts: ReadonlyMap<string, number>): Column<Project>[] => [
  {
    id: 'name',
    title: texts.name,
    width: 'minmax(160px, 2fr)',
    card: 'name',
    cell: ({ name, slug }) => <Link to={paths.project({ ...scope, project: slug })}>{name}</Link>,
  },
  {
    id: 'slug',
    title: texts.slug,
    width: 'minmax(120px, 1fr)',
    card: 'state',
    cell: ({ slug }) => <code translate="no">{slug}</code>,
  },
  {
    id: 'limits',
    title: texts.limits,
    width: 'minmax(200px, 2fr)',
    card: 'none',
    isExtra: true,
    cell: ({ default_rate_limits: limits }) =>
      limits.length === 0 ? texts.noLimits : limits.map(ruleText).join('; '),
  },
  {
    id: 'created',
    title: texts.created,
    width: '96px',
    card: 'none',
    isExtra: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  keyCountColumn(texts.keys[scope.env], counts),
  {
    id: 'version',
    title: texts.version,
    width: '112px',
    align: 'end',
    card: 'fact',
    cell: ({ policy_version }) => `v${policy_version}`,
  },
];
