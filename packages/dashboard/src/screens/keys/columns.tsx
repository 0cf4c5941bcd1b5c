// The columns of the key list.
import { paths } from '../../paths.ts';
import type { Scope } from '../../shell/scope.ts';
import { Sparkline } from '../../ui/charts/sparkline.tsx';
import { KeyState } from '../../ui/content/key-state.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Checkbox } from '../../ui/controls/toggle.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import type { Column } from '../../ui/tables/table.tsx';
import styles from './keys.module.css';
import type { ApiKey, Names, Weeks } from './names.ts';
import { type RowAct, RowMenu } from './row-menu.tsx';
import type { Selection } from './selection.ts';
import { texts } from './texts.ts';

export type Beside = {
  scope: Scope;
  /** Null while names are loading. */
  tenants: Names | null;
  projects: Names | null;
  weeks: Weeks;
  /** IDs of the keys on this page that have been replaced by another key in the list. */
  rotated: ReadonlySet<string>;
  /** IDs of the selected keys on this page. */
  selected: ReadonlySet<string>;
  toggle: Selection['toggle'];
  onAct(act: RowAct, key: ApiKey): void;
};

const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;

/** The header's columns, including a checkbox that selects all rows. */
export function headOf(scope: Scope, selection: Selection): Column<ApiKey>[] {
  const columns = columnsOf({ ...NOTHING, scope, toggle: selection.toggle, onAct: () => {} });
  return columns.map((column) =>
    column.id === 'select' ? { ...column, title: <SelectAll selection={selection} /> } : column,
  );
}

const NOTHING = {
  tenants: new Map(),
  projects: new Map(),
  weeks: new Map(),
  rotated: new Set<string>(),
  selected: new Set<string>(),
};

export function columnsOf(beside: Beside): Column<ApiKey>[] {
  const { scope } = beside;
  const { columns } = texts;
  const week = {
    id: 'week',
    title: columns.week,
    width: '72px',
    card: 'none',
    isExtra: true,
  } as const;
  const shown: Column<ApiKey>[] = [
    {
      id: 'name',
      title: columns.name,
      width: 'minmax(124px, 2fr)',
      card: 'name',
      cell: (key) => (
        <Link to={paths.key({ ...scope, keyId: key.id })}>{key.name ?? texts.unnamed}</Link>
      ),
    },
    {
      id: 'prefix',
      title: columns.prefix,
      width: '124px',
      card: 'none',
      isExtra: true,
      cell: ({ display_prefix }) => <KeyText text={`${display_prefix}…`} />,
    },
    {
      id: 'tenant',
      title: columns.tenant,
      width: 'minmax(96px, 1.4fr)',
      card: 'fact',
      cell: tenantCell(beside),
    },
    {
      id: 'project',
      title: columns.project,
      width: 'minmax(84px, 1fr)',
      card: 'none',
      isExtra: true,
      cell: projectCell(beside),
    },
    {
      id: 'state',
      title: columns.state,
      // In a wide table, there is room for "Quarantined, expires in 41 min".
      width: 'minmax(144px, 220px)',
      card: 'state',
      cell: (key) => <KeyState of={key} isRotated={beside.rotated.has(key.id)} />,
    },
    {
      id: 'used',
      title: columns.used,
      width: '76px',
      card: 'fact',
      cell: ({ last_used_at }) => <Time at={last_used_at} never={texts.never} />,
    },
    { ...week, cell: weekCell(beside) },
    {
      id: 'expires',
      title: columns.expires,
      width: '60px',
      card: 'none',
      cell: ({ expires_at }) => <Time at={expires_at} never={texts.never} />,
    },
  ];
  return scope.mayChange ? [selectColumn(beside), ...shown, menuColumn(beside)] : shown;
}

const SelectAll = ({ selection }: { selection: Selection }) => (
  <Checkbox
    bare
    label={texts.selectAll}
    checked={selection.isAll}
    mixed={selection.keys.length > 0 && !selection.isAll}
    onChecked={selection.toggleAll}
  />
);

const selectColumn = ({ selected, toggle }: Beside): Column<ApiKey> => ({
  id: 'select',
  title: '',
  width: '18px',
  card: 'select',
  cell: (key) => (
    <Checkbox
      bare
      label={texts.select(nameOf(key))}
      checked={selected.has(key.id)}
      disabled={key.revoked_at !== null}
      onChecked={() => toggle(key.id)}
    />
  ),
});

const menuColumn = ({ onAct, scope }: Beside): Column<ApiKey> => ({
  id: 'menu',
  title: '',
  label: texts.columns.menu,
  width: '32px',
  card: 'menu',
  cell: (key) => <RowMenu of={key} scope={scope} onAct={(act) => onAct(act, key)} />,
});

const tenantCell =
  ({ scope, tenants }: Beside) =>
  ({ tenant_id }: ApiKey) => {
    const name = tenants?.get(tenant_id);
    if (name === undefined) return <NoName names={tenants} />;
    return (
      <Link to={paths.tenant({ ...scope, tenantId: tenant_id })} className={styles.link ?? ''}>
        {name}
      </Link>
    );
  };

const projectCell =
  ({ projects }: Beside) =>
  ({ project_id }: ApiKey) =>
    projects?.get(project_id) ?? <NoName names={projects} />;

/** Shown while the name is loading, if it couldn't be loaded, or if the object was deleted. */
const NoName = ({ names }: { names: Names | null }) =>
  names === null ? <Skeleton width="60%" height={12} /> : '–';

const weekCell =
  ({ weeks }: Beside) =>
  ({ id }: ApiKey) => {
    const values = weeks.get(id);
    const requests = values?.reduce((sum, value) => sum + value, 0) ?? 0;
    return values && <Sparkline values={values} label={texts.weekText(requests)} />;
  };
