import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
// The sections of a project's page.
import { useApi } from '../../api/query.ts';
import { Connect } from '../../parts/connect/connect.tsx';
import { Nodes } from '../../parts/nodes/nodes-of.tsx';
import { parseRange, rangeFacts, rangeOptions } from '../../parts/traffic/ranges.ts';
import { texts as trafficTexts } from '../../parts/traffic/texts.ts';
import { TrafficChart } from '../../parts/traffic/traffic-chart.tsx';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Card, ChartCard } from '../../ui/content/card.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { ViewSwitch } from '../../ui/controls/view-switch.tsx';
import { SkeletonCards, SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { Limits } from './limits.tsx';
import styles from './project.module.css';
import { texts } from './texts.ts';
import type { Project } from './types.ts';

const NODES_EVERY_MS = 5000;
const TRAFFIC_EVERY_MS = 10_000;

type Props = { project: Project };

export const Parts = ({ project }: Props) => (
  <>
    <div className={styles.columns}>
      <Traffic project={project} />
      <div className={styles.column}>
        <ProjectFacts project={project} />
        <Limits project={project} />
      </div>
    </div>
    <ProjectNodes project={project} />
    <ConnectSection project={project} />
  </>
);

function ProjectFacts({ project }: Props) {
  const scope = useScope();
  const query = { by: 'project' as const, env: scope.env, id: [project.id] };
  const counts = useApi('GET /v1/keys/counts', { query });
  const [counted] = counts.data?.data ?? [];
  return (
    <Card title={texts.facts}>
      <Facts
        facts={[
          { name: texts.slug, value: <KeyText text={project.slug} of={texts.slug} /> },
          { name: texts.id, value: <KeyText text={project.id} of={texts.id} /> },
          {
            name: texts.keys[scope.env],
            value: (
              <Link to={paths.keys(scope)} search={{ project: project.id }}>
                {counted ? texts.counted(counted.active, counted.total) : '–'}
              </Link>
            ),
          },
          { name: texts.version, value: `v${project.policy_version}` },
          { name: texts.created, value: <Time at={project.created_at} /> },
        ]}
      />
    </Card>
  );
}

const parse = ({ range }: Readonly<Record<string, string>>) => parseRange(range);

function Traffic({ project }: Props) {
  const { env } = useScope();
  const [range, setSearch] = useSearch(parse);
  const { interval, count } = rangeFacts[range];
  const query = { interval, count, env, project_id: project.id };
  const traffic = useApi(
    'GET /v1/usage/overview',
    { query },
    { everyMs: TRAFFIC_EVERY_MS, keeps: true },
  );
  return (
    <ChartCard>
      <Loaded
        query={traffic}
        failed={texts.trafficFailed}
        skeleton={<SkeletonCards cards={1} height={248} />}
      >
        {(overview) => (
          <TrafficChart
            overview={overview}
            range={range}
            view="traffic"
            aside={
              <ViewSwitch
                small
                label={trafficTexts.range}
                value={range}
                options={rangeOptions}
                onValue={(next) => setSearch({ range: next === '24h' ? undefined : next })}
              />
            }
          />
        )}
      </Loaded>
    </ChartCard>
  );
}

function ProjectNodes({ project }: Props) {
  const { env } = useScope();
  const query = { project_id: project.id, env, limit: LIST_LIMIT_MAX };
  const nodes = useApi('GET /v1/policy/nodes', { query }, { everyMs: NODES_EVERY_MS });
  return (
    <Card bare title={texts.nodes}>
      <Loaded query={nodes} failed={texts.nodesFailed} skeleton={<SkeletonRows rows={2} />}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p className={styles.none}>{texts.noNodes}</p>
          ) : (
            <Nodes label={texts.nodes} nodes={rows} />
          )
        }
      </Loaded>
    </Card>
  );
}

function ConnectSection({ project }: Props) {
  const scope = useScope();
  const lead = (
    <>
      {texts.connectLead} <Link to={paths.secretKeys(scope)}>{texts.secretKeys}</Link>
    </>
  );
  return (
    <Card bare title={texts.connect} lead={lead}>
      <Connect projectId={project.id} />
    </Card>
  );
}
