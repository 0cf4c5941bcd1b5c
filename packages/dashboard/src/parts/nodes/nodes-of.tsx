// A project's nodes. Silent nodes, which haven't polled recently, are collapsed.

import type { Item } from '@keyrail/client';
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { type Shape, State, type Tone } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { LinkButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Warning } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import styles from './nodes.module.css';
import { texts } from './texts.ts';

/** How many nodes a warning lists by name. */
const NAMES_SHOWN = 5;

type PolicyNode = Item<'GET /v1/policy/nodes'>;

type Project = { id: string; name: string; slug: string };

export function NodesOf({ project, everyMs }: { project: Project; everyMs: number }) {
  const scope = useScope();
  const query = { project_id: project.id, env: scope.env, limit: LIST_LIMIT_MAX };
  const nodes = useApi('GET /v1/policy/nodes', { query }, { everyMs });
  const version = nodes.data?.data[0]?.current_version;
  if (nodes.data?.data.length === 0) {
    return (
      <p className={styles.none}>
        <strong>{project.name}</strong> {texts.none}{' '}
        <Link to={paths.project({ ...scope, project: project.slug })}>{texts.connect}</Link>
      </p>
    );
  }
  return (
    <Card
      bare
      title={project.name}
      aside={
        version !== undefined && <span className={styles.version}>{texts.version(version)}</span>
      }
    >
      <Loaded query={nodes} failed={texts.failed} skeleton={<SkeletonRows rows={2} />}>
        {({ data: rows }) => (
          <>
            <Overprivileged projectId={project.id} everyMs={everyMs} />
            <Nodes label={texts.table(project.name)} nodes={rows} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** A warning about nodes whose secret key can do more than a node needs. */
function Overprivileged({ projectId, everyMs }: { projectId: string; everyMs: number }) {
  const scope = useScope();
  const { env } = scope;
  const query = { project_id: projectId, env, overprivileged: true, limit: LIST_LIMIT_MAX };
  const found = useApi('GET /v1/policy/nodes', { query }, { everyMs });
  const names = [...new Set(found.data?.data.map(({ node_id }) => node_id))].sort();
  if (names.length === 0) return null;
  const shown = names.slice(0, NAMES_SHOWN);
  return (
    <Warning
      action={
        scope.mayChange && (
          <LinkButton to={paths.secretKeys(scope)} small>
            {texts.secretKeys}
          </LinkButton>
        )
      }
    >
      {texts.overprivileged(names.length, shown, names.length - shown.length)}
    </Warning>
  );
}

export function Nodes({ label, nodes }: { label: string; nodes: readonly PolicyNode[] }) {
  const awake = nodes.filter(({ state }) => state !== 'silent').sort(byName);
  const silent = nodes.filter(({ state }) => state === 'silent');
  return (
    <>
      {awake.length > 0 && (
        <Table label={label} columns={columns} pages={[awake]} rowKey={nodeKey} />
      )}
      {silent.length > 0 && (
        <details className={styles.silent}>
          <summary>{texts.silent(silent.length)}</summary>
          <p className={styles.means}>{texts.silentMeans}</p>
          <Table
            label={label}
            columns={columns}
            pages={[silent]}
            rowKey={nodeKey}
            isFaded={faded}
          />
        </details>
      )}
    </>
  );
}

const faded = () => true;
const nodeKey = ({ node_id, env_scope }: PolicyNode): string => `${node_id} ${env_scope}`;

// Sorted by name, so that rows don't move as nodes poll.
const byName = (one: PolicyNode, other: PolicyNode): number =>
  nodeKey(one) < nodeKey(other) ? -1 : 1;

/** A disconnected node is shown as "Silent" or "Not connected", never as "Current" or "Behind". */
const lookOf = ({ state, connected }: PolicyNode): keyof typeof texts.states =>
  connected || state === 'silent' ? state : 'away';

const looks: Readonly<Record<keyof typeof texts.states, { tone: Tone; shape: Shape }>> = {
  current: { tone: 'good', shape: 'full' },
  behind: { tone: 'warn', shape: 'half' },
  silent: { tone: 'dim', shape: 'ring' },
  away: { tone: 'dim', shape: 'ring' },
};

const columns: readonly Column<PolicyNode>[] = [
  {
    id: 'node',
    title: texts.node,
    width: 'minmax(132px, 2fr)',
    card: 'name',
    cell: ({ node_id }) => <code translate="no">{node_id}</code>,
  },
  {
    id: 'state',
    title: texts.state,
    width: '136px',
    card: 'state',
    cell: (node) => {
      const look = lookOf(node);
      return <State {...looks[look]}>{texts.states[look]}</State>;
    },
  },
  {
    id: 'policy',
    title: texts.policy,
    width: 'minmax(88px, 1fr)',
    card: 'fact',
    cell: ({ version, current_version }) =>
      version === 0 ? texts.notYet : texts.of(version, current_version),
  },
  {
    id: 'env',
    title: texts.env,
    width: '96px',
    card: 'none',
    cell: ({ env_scope }) => texts.envs[env_scope],
  },
  {
    id: 'sdk',
    title: texts.sdk,
    width: 'minmax(128px, 1fr)',
    card: 'none',
    isExtra: true,
    cell: ({ sdk, understands }) =>
      [sdk ? `${sdk.name} ${sdk.version}` : '–', ...understands].join(' · '),
  },
  {
    id: 'seen',
    title: texts.seen,
    width: '80px',
    card: 'fact',
    cell: ({ last_seen_at }) => <Time at={last_seen_at} />,
  },
  {
    id: 'since',
    title: texts.since,
    width: '104px',
    card: 'none',
    isExtra: true,
    cell: ({ first_seen_at }) => <Time at={first_seen_at} />,
  },
];
