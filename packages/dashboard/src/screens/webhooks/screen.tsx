// The webhook endpoints, with their actions and deliveries.
import { WEBHOOK_ENDPOINTS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'react';
import { useChange, useList } from '../../api/query.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { State } from '../../ui/content/state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { menuColumn } from '../../ui/tables/menu-column.ts';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { DeliveriesSheet } from './deliveries.tsx';
import { RemoveDialog, RotateDialog } from './end-dialogs.tsx';
import { hostOf, STALE, type WebhookEndpoint } from './endpoint.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { texts } from './texts.ts';
import styles from './webhooks.module.css';

type Open =
  | { kind: 'create' }
  | { kind: 'edit' | 'rotate' | 'remove' | 'deliveries'; endpoint: WebhookEndpoint }
  | null;

export function Screen() {
  const { mayChange } = useScope();
  const [open, setOpen] = useState<Open>(null);
  const endpoints = useList('GET /v1/webhook_endpoints', {
    query: { limit: WEBHOOK_ENDPOINTS_MAX },
  });
  const create = mayChange && (
    <Button kind="primary" icon="plus" data-create onClick={() => setOpen({ kind: 'create' })}>
      {texts.create}
    </Button>
  );
  const close = () => setOpen(null);
  return (
    <Page title={texts.title} lead={texts.lead} actions={create} wide>
      <ReadOnly />
      <Loaded query={asQuery(endpoints)} failed={texts.failed} skeleton={<SkeletonRows rows={3} />}>
        {(pages) =>
          pages.flat().length === 0 ? (
            <Empty
              icon="webhook"
              title={texts.emptyTitle}
              action={create}
              link={<a href="/docs#group-events">{texts.docs}</a>}
            >
              {texts.empty}
            </Empty>
          ) : (
            <Rows pages={pages} onOpen={setOpen} />
          )
        }
      </Loaded>
      {open?.kind === 'create' && <EndpointForm endpoint={null} onClose={close} />}
      {open?.kind === 'edit' && <EndpointForm endpoint={open.endpoint} onClose={close} />}
      {open?.kind === 'rotate' && <RotateDialog endpoint={open.endpoint} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog endpoint={open.endpoint} onClose={close} />}
      {open?.kind === 'deliveries' && <DeliveriesSheet endpoint={open.endpoint} onClose={close} />}
    </Page>
  );
}

type RowsProps = {
  pages: readonly (readonly WebhookEndpoint[])[];
  onOpen(open: Open): void;
};

function Rows({ pages, onOpen }: RowsProps) {
  const { mayChange } = useScope();
  const columns = columnsOf(onOpen);
  return (
    <Table
      label={texts.list}
      columns={mayChange ? [...columns, menuOf(onOpen)] : columns}
      pages={pages}
      rowKey={({ id }) => id}
      isFaded={({ disabled_at }) => disabled_at !== null}
    />
  );
}

// biome-ignore format: one line for each column
const columnsOf = (onOpen: RowsProps['onOpen']): Column<WebhookEndpoint>[] => [
  { id: 'url', title: texts.columns.url, width: 'minmax(160px, 2fr)', card: 'name', cell: (endpoint) => <UrlCell endpoint={endpoint} onOpen={onOpen} /> },
  { id: 'state', title: texts.columns.state, width: 'minmax(130px, 1fr)', card: 'state', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { id: 'events', title: texts.columns.events, width: 'minmax(140px, 1fr)', card: 'fact', cell: ({ events }) => <span className={styles.events}>{events.includes('*') ? texts.all : events.join(', ')}</span> },
  { id: 'env', title: texts.columns.env, width: '104px', card: 'none', cell: ({ env }) => (env ? en.envs[env] : texts.both) },
];

function UrlCell({ endpoint, onOpen }: Pick<RowsProps, 'onOpen'> & { endpoint: WebhookEndpoint }) {
  return (
    <>
      <button
        type="button"
        className={styles.url}
        onClick={() => onOpen({ kind: 'deliveries', endpoint })}
      >
        {endpoint.url}
      </button>
      {endpoint.description && <span className={styles.note}>{endpoint.description}</span>}
    </>
  );
}

function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { disabled_at, disabled_reason } = endpoint;
  return disabled_at === null ? (
    <State tone="good" shape="full">
      {texts.states.enabled}
    </State>
  ) : (
    <State tone="bad" shape="pause" note={disabled_reason}>
      {texts.states.disabled}
    </State>
  );
}

const menuOf = (onOpen: RowsProps['onOpen']) =>
  menuColumn<WebhookEndpoint>(texts.menu(''), (endpoint) => (
    <RowMenu endpoint={endpoint} onOpen={onOpen} />
  ));

function RowMenu({ endpoint, onOpen }: Pick<RowsProps, 'onOpen'> & { endpoint: WebhookEndpoint }) {
  const update = useChange('PATCH /v1/webhook_endpoints/{id}', { refreshes: STALE });
  const isDisabled = endpoint.disabled_at !== null;
  const host = hostOf(endpoint);
  const toggle = () =>
    update.mutate(
      { params: { id: endpoint.id }, body: { disabled: !isDisabled } },
      { onSuccess: () => toast(isDisabled ? texts.enabled(host) : texts.disabled(host)) },
    );
  const opening = (kind: 'edit' | 'rotate' | 'remove' | 'deliveries') => () =>
    onOpen({ kind, endpoint });
  return (
    <Menu
      label={texts.menu(host)}
      groups={[
        [
          { label: texts.show, icon: 'audit', onSelect: opening('deliveries') },
          { label: texts.edit, icon: 'settings', onSelect: opening('edit') },
          { label: texts.rotate, icon: 'rotate', onSelect: opening('rotate') },
          {
            label: isDisabled ? texts.enable : texts.disable,
            icon: isDisabled ? 'check' : 'stop',
            onSelect: toggle,
          },
        ],
        [{ label: texts.remove, icon: 'trash', danger: true, onSelect: opening('remove') }],
      ]}
    />
  );
}
