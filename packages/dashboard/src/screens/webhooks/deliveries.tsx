// An endpoint's recent deliveries, which can be retried, and a button that sends a test event.
import type { Item } from '@keyrail/client';
import { useChange, useList } from '../../api/query.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { type Shape, State, type Tone } from '../../ui/content/state.tsx';
import { Time, useNow } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { hostOf, STALE, type WebhookEndpoint } from './endpoint.ts';
import { texts } from './texts.ts';
import styles from './webhooks.module.css';

type Delivery = Item<'GET /v1/webhook_endpoints/{id}/deliveries'>;

const PAGE_ROWS = 50;
const EVERY_MS = 5000;
const { deliveries } = texts;

type Props = { endpoint: WebhookEndpoint; onClose(): void };

export function DeliveriesSheet({ endpoint, onClose }: Props) {
  const { mayChange } = useScope();
  const params = { id: endpoint.id };
  const list = useList(
    'GET /v1/webhook_endpoints/{id}/deliveries',
    { params, query: { limit: PAGE_ROWS } },
    { everyMs: EVERY_MS },
  );
  const test = useChange('POST /v1/webhook_endpoints/{id}/test', { refreshes: STALE });
  const send = () =>
    test.mutate(
      { params },
      {
        onSuccess: ({ last_status, last_error }) =>
          toast(deliveries.tested(last_status, last_error)),
      },
    );
  const isDisabled = endpoint.disabled_at !== null;
  return (
    <Dialog
      kind="wide"
      title={deliveries.title(hostOf(endpoint))}
      onClose={onClose}
      actions={
        mayChange && (
          <Button
            kind="primary"
            busy={test.isPending}
            because={isDisabled ? texts.states.disabled : null}
            onClick={send}
          >
            {deliveries.test}
          </Button>
        )
      }
    >
      {test.error && <Problem error={test.error} />}
      <Loaded query={asQuery(list)} failed={deliveries.failed} skeleton={<SkeletonRows rows={4} />}>
        {(pages) =>
          pages.flat().length === 0 ? (
            <p>{deliveries.none}</p>
          ) : (
            <Table
              label={deliveries.list}
              columns={mayChange && !isDisabled ? [...columns, retryColumn] : columns}
              pages={pages}
              rowKey={({ id }) => id}
              paging={list}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}

const looks: Readonly<Record<Delivery['state'], { tone: Tone; shape: Shape }>> = {
  pending: { tone: 'warn', shape: 'clock' },
  delivered: { tone: 'good', shape: 'full' },
  failed: { tone: 'bad', shape: 'cross' },
};

// biome-ignore format: one line for each column
const columns: readonly Column<Delivery>[] = [
  { id: 'type', title: deliveries.columns.type, width: 'minmax(136px, 3fr)', card: 'name', cell: ({ type }) => <code className={styles.events} translate="no">{type}</code> },
  { id: 'state', title: deliveries.columns.state, width: 'minmax(136px, 3fr)', card: 'state', cell: (one) => <DeliveryState delivery={one} /> },
  { id: 'result', title: deliveries.columns.result, width: 'minmax(104px, 2fr)', card: 'fact', cell: ({ last_status, last_error }) => <span className={styles.events}>{last_error ?? (last_status === null ? '–' : deliveries.status(last_status))}</span> },
  { id: 'at', title: deliveries.columns.at, width: '76px', card: 'fact', cell: ({ created_at }) => <Time at={created_at} /> },
];

function DeliveryState({ delivery }: { delivery: Delivery }) {
  const { state, next_attempt_at: next, attempts } = delivery;
  const isDue = Date.parse(next ?? '') <= useNow();
  const note = next !== null && attempts > 0 && (
    <>
      {deliveries.next(attempts)} {isDue ? deliveries.now : <Time at={next} />}
    </>
  );
  return (
    <State {...looks[state]} note={note || undefined}>
      {deliveries.states[state]}
    </State>
  );
}

const retryColumn: Column<Delivery> = {
  id: 'retry',
  title: '',
  label: deliveries.retry,
  width: '64px',
  align: 'end',
  card: 'menu',
  cell: (delivery) => <Retry delivery={delivery} />,
};

function Retry({ delivery }: { delivery: Delivery }) {
  const retry = useChange('POST /v1/webhook_deliveries/{id}/retry', { refreshes: STALE });
  const send = () =>
    retry.mutate({ params: { id: delivery.id } }, { onSuccess: () => toast(deliveries.queued) });
  return (
    <Button
      kind="quiet"
      small
      busy={retry.isPending}
      aria-label={deliveries.retryOf(delivery.type)}
      onClick={send}
    >
      {deliveries.retry}
    </Button>
  );
}
