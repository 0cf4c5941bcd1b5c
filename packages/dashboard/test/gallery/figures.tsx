// States, times, copyable text, tables and charts.
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { nowMs } from '../../src/clock.ts';
import { Chart } from '../../src/ui/charts/chart.tsx';
import { Meter } from '../../src/ui/charts/meter.tsx';
import { Sparkline } from '../../src/ui/charts/sparkline.tsx';
import { KeyState } from '../../src/ui/content/key-state.tsx';
import { KeyText, Secret } from '../../src/ui/content/secret.tsx';
import { Snippet } from '../../src/ui/content/snippet.tsx';
import { State } from '../../src/ui/content/state.tsx';
import { Time } from '../../src/ui/content/time.tsx';
import { Copy } from '../../src/ui/controls/copy.tsx';
import { Link } from '../../src/ui/controls/link.tsx';
import { Menu } from '../../src/ui/overlays/menu.tsx';
import { Diff } from '../../src/ui/tables/diff.tsx';
import { type Column, type Paging, Table } from '../../src/ui/tables/table.tsx';
import { Block } from './block.tsx';
import { exampleKeys, type Key } from './example-keys.ts';

const pagingWith = (loadMore: () => void): Paging => ({
  hasMore: true,
  isLoadingMore: false,
  canLoadMore: true,
  loadMore,
});

const hours = Array.from({ length: 24 }, (_, at) =>
  new Date((at + 480_000) * HOUR_MS).toISOString(),
);
const wave = (base: number, size: number) =>
  hours.map((_, at) => Math.round(base + size * Math.sin(at / 3) ** 2));

const columns: readonly Column<Key>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(140px, 2fr)',
    card: 'name',
    cell: ({ name, id }) => (
      <Link to="/" search={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '190px',
    card: 'state',
    cell: (key) => <KeyState of={key} />,
  },
  {
    id: 'prefix',
    title: 'Prefix',
    width: '130px',
    card: 'fact',
    isExtra: true,
    cell: ({ display_prefix }) => <KeyText text={display_prefix} />,
  },
  {
    id: 'used',
    title: 'Last used',
    width: '100px',
    card: 'fact',
    cell: ({ last_used_at }) => <Time at={last_used_at} never="never" />,
  },
  {
    id: 'days',
    title: '7 days',
    width: '80px',
    card: 'none',
    cell: () => <Sparkline values={[4, 9, 2, 0, 7, 12, 3]} label="37 requests in 7 days" />,
  },
  {
    id: 'menu',
    title: '',
    label: 'Actions',
    width: '32px',
    card: 'menu',
    cell: ({ name }) => (
      <Menu
        label={`Actions for ${name}`}
        groups={[[{ label: 'Edit', icon: 'edit', onSelect: () => {} }]]}
      />
    ),
  },
];

export const Figures = () => (
  <>
    <Block name="State, Time, KeyText, Copy, Meter">
      <State tone="good" shape="full">
        Current
      </State>
      <State tone="warn" shape="half" note="since 14:05">
        Behind
      </State>
      <State tone="bad" shape="cross">
        Silent
      </State>
      <State tone="test" shape="ring">
        Test
      </State>
      <Time at={new Date(nowMs() - 3 * HOUR_MS).toISOString()} />
      <Time at={null} never="never used" />
      <KeyText text="kr_live_a1b2" of="prefix" />
      <Copy text="0190" label="Copy ID" labelled />
      <Meter label="Nodes" value={18} max={20} text="18 of 20 current" tone="good" />
    </Block>
    <Block name="Table">
      <div>
        <Table
          label="Keys"
          columns={columns}
          pages={[exampleKeys(nowMs())]}
          rowKey={({ id }) => id}
          isFaded={({ revoked_at }) => revoked_at !== null}
          paging={pagingWith(() => {})}
        />
        {/* A table with the maximum number of pages. All but the first are empty. */}
        <Table
          label="Many keys"
          columns={columns}
          pages={[exampleKeys(nowMs()).slice(0, 2), ...Array.from({ length: 99 }, () => [])]}
          rowKey={({ id }) => id}
          paging={pagingWith(() => {
            throw new Error('A full list loads no more rows.');
          })}
        />
      </div>
    </Block>
    <Block name="Secret, Snippet">
      <Secret value="kr_live_9f8e7d6c5b4a39281706f5e4d3c2b1a0ffee" label="Copy key" />
      <Snippet
        label="Use the key"
        texts={[
          { name: 'curl', code: 'curl -H "authorization: Bearer $KEY" https://api.example.com' },
          { name: 'SDK', code: "const keyrail = createKeyrail({ project: 'orders' });" },
          { name: 'CLI', code: 'keyrail keys list --env test' },
        ]}
      />
    </Block>
    <Block name="Chart, Diff">
      <Chart
        label="Requests"
        kind="bars"
        times={hours}
        series={[
          { name: 'Allowed', tone: 1, values: wave(200, 900) },
          { name: 'Denied', tone: 2, values: wave(10, 60) },
        ]}
      />
      <Chart
        label="Latency"
        kind="lines"
        times={hours}
        format={(ms) => `${ms} ms`}
        series={[
          { name: 'p50', tone: 4, values: wave(4, 2) },
          { name: 'p99', tone: 5, values: wave(14, 10) },
        ]}
      />
      <Diff
        changes={[
          { field: 'name', from: 'Backend', to: 'Backend, old' },
          { field: 'scopes', added: ['orders:write'], removed: ['orders:read'] },
          { field: 'meta' },
        ]}
      />
    </Block>
  </>
);
