// An environment's secret keys, which can be created, rotated and revoked.
import { useState } from 'react';
import { useApi, useList } from '../../api/query.ts';
import { RevokeDialog, RotateDialog } from '../../parts/secret-key/end-dialogs.tsx';
import { NarrowDialog } from '../../parts/secret-key/narrow-dialog.tsx';
import { RenameDialog } from '../../parts/secret-key/rename-dialog.tsx';
import { nameOf, type SecretKey } from '../../parts/secret-key/secret-key.ts';
import { texts as keyTexts } from '../../parts/secret-key/texts.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { type Scope, useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { KeyState } from '../../ui/content/key-state.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Switch } from '../../ui/controls/toggle.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { menuColumn } from '../../ui/tables/menu-column.ts';
import { type Column, type Paging, Table } from '../../ui/tables/table.tsx';
import { CreateDialog } from './create-dialog.tsx';
import styles from './secret-keys.module.css';
import { texts } from './texts.ts';

const PAGE_ROWS = 100;

const dialogs = {
  rename: RenameDialog,
  narrow: NarrowDialog,
  rotate: RotateDialog,
  revoke: RevokeDialog,
};

type Open = { kind: 'create' } | { kind: keyof typeof dialogs; secretKey: SecretKey } | null;

const parse = ({ revoked }: Readonly<Record<string, string>>) => ({ isAll: revoked === 'true' });

export function Screen() {
  const { env, mayChange } = useScope();
  const [{ isAll }, setSearch] = useSearch(parse);
  const [open, setOpen] = useState<Open>(null);
  const keys = useList('GET /v1/secret_keys', { query: { limit: PAGE_ROWS } });
  const create = mayChange && (
    <Button kind="primary" icon="plus" data-create onClick={() => setOpen({ kind: 'create' })}>
      {texts.create(env)}
    </Button>
  );
  const close = () => setOpen(null);
  return (
    <Page title={texts.title} lead={texts.lead} actions={create} wide>
      <ReadOnly />
      <Loaded query={asQuery(keys)} failed={texts.failed} skeleton={<SkeletonRows rows={5} />}>
        {(pages) => {
          const ofEnv = pages.map((page) => page.filter((one) => one.env === env));
          return ofEnv.flat().length === 0 && !keys.hasMore ? (
            <Empty
              icon="secret"
              title={texts.emptyTitle(env)}
              action={create}
              link={<a href="/docs#group-secret-keys">{texts.docs}</a>}
            >
              {texts.empty}
            </Empty>
          ) : (
            <>
              <Switch
                label={texts.revokedToo}
                checked={isAll}
                onChecked={(checked) => setSearch({ revoked: checked ? 'true' : undefined })}
              />
              <Rows pages={ofEnv} isAll={isAll} keys={keys} onOpen={setOpen} />
            </>
          );
        }}
      </Loaded>
      <Opened open={open} onClose={close} />
    </Page>
  );
}

function Opened({ open, onClose }: { open: Open; onClose(): void }) {
  if (open === null) return null;
  if (open.kind === 'create') return <CreateDialog onClose={onClose} />;
  const Dialog = dialogs[open.kind];
  return <Dialog secretKey={open.secretKey} onClose={onClose} />;
}

type RowsProps = {
  pages: readonly (readonly SecretKey[])[];
  isAll: boolean;
  keys: Paging;
  onOpen(open: Open): void;
};

function Rows({ pages, isAll, keys, onOpen }: RowsProps) {
  const scope = useScope();
  const all = pages.flat();
  const minters = useMinters(all);
  const shown = pages.map((page) => page.filter((one) => isAll || one.revoked_at === null));
  if (shown.flat().length === 0 && !keys.hasMore) return <p>{texts.noneLeft}</p>;
  const rotated = new Set(all.flatMap(({ rotated_from }) => rotated_from ?? []));
  const columns = columnsOf({ minters, rotated, scope });
  return (
    <Table
      label={texts.list}
      columns={scope.mayChange ? [...columns, menuOf(onOpen)] : columns}
      pages={shown}
      rowKey={({ id }) => id}
      isFaded={({ revoked_at }) => revoked_at !== null}
      paging={keys}
    />
  );
}

/** The names of the members and secret keys that may have created these keys, by ID. */
function useMinters(keys: readonly SecretKey[]): ReadonlyMap<string, string> {
  const members = useApi('GET /v1/members', { query: { limit: PAGE_ROWS } });
  return new Map([
    ...keys.map((key) => [key.id, nameOf(key)] as const),
    ...(members.data?.data ?? []).map((one) => [one.user_id, one.name ?? one.email] as const),
  ]);
}

type Known = {
  minters: ReadonlyMap<string, string>;
  rotated: ReadonlySet<string>;
  scope: Scope;
};

// biome-ignore format: one line for each column
const columnsOf = ({ minters, rotated, scope }: Known): Column<SecretKey>[] => [
  { id: 'name', title: texts.columns.name, width: 'minmax(100px, 2fr)', card: 'name', cell: (key) => <Name of={key} scope={scope} /> },
  { id: 'state', title: texts.columns.state, width: 'minmax(120px, 1fr)', card: 'state', cell: (key) => <KeyState of={key} isRotated={rotated.has(key.id)} /> },
  { id: 'prefix', title: texts.columns.prefix, width: '140px', card: 'fact', cell: ({ display_prefix }) => <KeyText text={display_prefix} /> },
  { id: 'authority', title: texts.columns.authority, width: '80px', card: 'none', isExtra: true, cell: ({ authority }) => (authority === null ? keyTexts.notRecorded : en.roles[authority]) },
  { id: 'can', title: texts.columns.can, width: 'minmax(88px, 1fr)', card: 'fact', cell: (key) => <Abilities of={key} /> },
  { id: 'by', title: texts.columns.by, width: 'minmax(110px, 1fr)', card: 'none', isExtra: true, cell: (key) => <MintedBy secretKey={key} minters={minters} /> },
  { id: 'used', title: texts.columns.used, width: '80px', card: 'fact', cell: ({ last_used_at }) => <Time at={last_used_at} never={keyTexts.never} /> },
  { id: 'expires', title: texts.columns.expires, width: '88px', card: 'none', isExtra: true, cell: ({ expires_at }) => <Time at={expires_at} never={keyTexts.never} /> },
];

const Name = ({ of: { id, name, env }, scope }: { of: SecretKey; scope: Scope }) => (
  <Link to={paths.secretKey({ ...scope, env, secretKeyId: id })}>
    {name ?? <span className={styles.dim}>{keyTexts.unnamed}</span>}
  </Link>
);

/** What a key may do, with its permissions as a tooltip. */
function Abilities({ of: { permissions, profile } }: { of: SecretKey }) {
  const { can } = keyTexts;
  if (permissions === null) return can.all;
  const text = profile === null ? can.some(permissions.length) : can.profiles[profile];
  return <span title={permissions.join(' ')}>{text}</span>;
}

function MintedBy({ secretKey, minters }: { secretKey: SecretKey; minters: Known['minters'] }) {
  const { created_by: id } = secretKey;
  if (id === null) return <span className={styles.dim}>{keyTexts.notRecorded}</span>;
  return minters.get(id) ?? <span className={styles.dim}>{keyTexts.former}</span>;
}

const menuOf = (onOpen: RowsProps['onOpen']) =>
  menuColumn<SecretKey>(texts.menu(''), (secretKey) => {
    if (secretKey.revoked_at !== null) return null;
    const open = (kind: keyof typeof dialogs) => () => onOpen({ kind, secretKey });
    return (
      <Menu
        label={texts.menu(nameOf(secretKey))}
        groups={[
          [
            { label: keyTexts.rename, icon: 'edit', onSelect: open('rename') },
            { label: keyTexts.narrow, icon: 'settings', onSelect: open('narrow') },
            { label: keyTexts.rotate, icon: 'rotate', onSelect: open('rotate') },
          ],
          [{ label: keyTexts.revoke, icon: 'stop', danger: true, onSelect: open('revoke') }],
        ]}
      />
    );
  });
