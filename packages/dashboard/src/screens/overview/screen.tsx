// An environment at a glance: traffic, denied requests, nodes, keys that need attention, and recent
// changes.
import type { Answer } from '@keyrail/client';
import { useApi } from '../../api/query.ts';
import { parseRange, rangeOptions } from '../../parts/traffic/ranges.ts';
import { texts as trafficTexts } from '../../parts/traffic/texts.ts';
import { parseView } from '../../parts/traffic/traffic-chart.tsx';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { useScope } from '../../shell/scope.ts';
import { Time } from '../../ui/content/time.tsx';
import { LinkButton } from '../../ui/controls/button.tsx';
import { ViewSwitch } from '../../ui/controls/view-switch.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { SkeletonCards } from '../../ui/feedback/skeleton.tsx';
import { ActiveTenants } from './active-tenants.tsx';
import { KeysSection, NodesSection } from './attention.tsx';
import { LatestChanges } from './latest-changes.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';
import { Traffic } from './traffic.tsx';

const EVERY_MS = 10_000;

const parse = ({ range, view }: Readonly<Record<string, string>>) => ({
  range: parseRange(range),
  view: parseView(view),
});

export function Screen() {
  const { env } = useScope();
  const [search, setSearch] = useSearch(parse);
  const summary = useApi('GET /v1/workspace/summary', { query: { env } }, { everyMs: EVERY_MS });
  const hasTraffic = Boolean(summary.data?.first_request_at);
  return (
    <Page
      title={texts.title}
      lead={hasTraffic && <LastRequest at={summary.data?.last_request_at ?? null} />}
      beside={
        hasTraffic && (
          <span className={styles.range}>
            <ViewSwitch
              label={trafficTexts.range}
              value={search.range}
              options={rangeOptions}
              onValue={(range) => setSearch({ range: range === '24h' ? undefined : range })}
            />
          </span>
        )
      }
    >
      <Loaded query={summary} failed={texts.failed.summary} skeleton={<Bones />}>
        {(known) => (
          <>
            {known.first_request_at === null ? (
              <NoRequest />
            ) : (
              <Traffic {...search} everyMs={EVERY_MS} onView={(view) => setSearch({ view })} />
            )}
            {known.projects > 0 && <Attention summary={known} />}
            {known.projects > 0 && <LatestChanges everyMs={EVERY_MS} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const LastRequest = ({ at }: { at: string | null }) => (
  <>
    {texts.lastRequest} <Time at={at} />
  </>
);

const Bones = () => (
  <>
    <SkeletonCards cards={5} height={88} />
    <SkeletonCards cards={1} height={320} />
    <SkeletonCards cards={3} height={168} />
  </>
);

type Summary = Answer<'GET /v1/workspace/summary'>;

function Attention({ summary }: { summary: Summary }) {
  const { env } = useScope();
  return (
    <div className={styles.attention}>
      <KeysSection summary={summary} />
      <NodesSection summary={summary} />
      {env === 'live' && <ActiveTenants everyMs={EVERY_MS} />}
    </div>
  );
}

function NoRequest() {
  const scope = useScope();
  const mayCreate = scope.env === 'live' && scope.mayChange;
  return (
    <Empty
      icon="overview"
      title={texts.emptyTitle}
      isList={false}
      action={
        <LinkButton kind="primary" to={paths.start(scope)}>
          {texts.start}
        </LinkButton>
      }
      link={mayCreate && <LinkButton to={paths.newKey(scope)}>{texts.newKey}</LinkButton>}
    >
      {texts.empty[scope.env]}
    </Empty>
  );
}
