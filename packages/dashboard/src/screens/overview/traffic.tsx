// Metrics for the time range, how they have changed, a chart, and the reasons for denied requests.
import { useApi } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import {
  changeText,
  latencyText,
  numberText,
  pointsText,
  shareText,
} from '../../parts/traffic/numbers.ts';
import {
  deniedOf,
  type Overview,
  periodsOf,
  type Range,
  rangeFacts,
} from '../../parts/traffic/ranges.ts';
import { texts as trafficTexts } from '../../parts/traffic/texts.ts';
import { TrafficChart, type TrafficView, viewOptions } from '../../parts/traffic/traffic-chart.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Figure, Figures, type FigureTone } from '../../ui/charts/figures.tsx';
import { ChartCard } from '../../ui/content/card.tsx';
import { ViewSwitch } from '../../ui/controls/view-switch.tsx';
import { SkeletonCards } from '../../ui/feedback/skeleton.tsx';
import styles from './overview.module.css';
import { Refusals } from './refusals.tsx';
import { texts } from './texts.ts';

const CHANGE_EVERY_MS = 60_000;

type Props = {
  range: Range;
  view: TrafficView;
  everyMs: number;
  onView(view: string | undefined): void;
};

export function Traffic({ range, view, everyMs, onView }: Props) {
  const { env } = useScope();
  const { interval, count } = rangeFacts[range];
  const query = { interval, count, env };
  const traffic = useApi('GET /v1/usage/overview', { query }, { everyMs, keeps: true });
  return (
    <Loaded query={traffic} failed={texts.failed.traffic} skeleton={<Bones />}>
      {(overview) => (
        <>
          <Totals overview={overview} range={range} />
          <div className={styles.row}>
            <div className={styles.two}>
              <ChartCard>
                <TrafficChart
                  overview={overview}
                  range={range}
                  view={view}
                  aside={
                    <ViewSwitch
                      small
                      label={trafficTexts.view}
                      value={view}
                      options={viewOptions}
                      onValue={(next) => onView(next === 'traffic' ? undefined : next)}
                    />
                  }
                />
              </ChartCard>
            </div>
            <Refusals overview={overview} />
          </div>
        </>
      )}
    </Loaded>
  );
}

const Bones = () => (
  <>
    <SkeletonCards cards={5} height={88} />
    <SkeletonCards cards={1} height={320} />
  </>
);

function Totals({ overview: { total }, range }: { overview: Overview; range: Range }) {
  const changes = useChanges(range);
  const denied = deniedOf(total);
  const latency = (name: 'p50' | 'p99') =>
    total.latency_ms ? latencyText(total.latency_ms[name]) : '–';
  return (
    <>
      <Figures label={texts.figures}>
        <Figure label={texts.requests} value={numberText(total.requests)} {...changes?.requests} />
        <Figure
          label={texts.errorShare}
          value={shareText(total.errors, total.requests)}
          {...changes?.errors}
        />
        <Figure label={texts.refused} value={numberText(denied)} {...changes?.denied} />
        <Figure label={texts.p50} value={latency('p50')} note={texts.admitted} />
        <Figure label={texts.p99} value={latency('p99')} note={texts.admitted} />
      </Figures>
      {total.degraded > 0 && (
        <p className={styles.degraded}>{texts.degraded(numberText(total.degraded))}</p>
      )}
    </>
  );
}

type Change = { note: string; tone: FigureTone };
type Changes = { requests: Change; errors: Change; denied: Change };

/**
 * How metrics have changed since the previous period. Latency isn't included, because comparing
 * percentiles would be misleading.
 */
function useChanges(range: Range): Changes | null {
  const { env } = useScope();
  const { before } = rangeFacts[range];
  const { interval, period } = before ?? { interval: 'hour', period: 1 };
  const read = useApi(
    'GET /v1/usage/overview',
    { query: { interval, count: 2 * period + 1, env } },
    { everyMs: CHANGE_EVERY_MS, enabled: before !== null },
  );
  if (before === null || range === '35d' || !read.data) return null;
  const { last, before: earlier } = periodsOf(read.data, before, nowMs());
  const say = (text: string | null, tone: FigureTone): Change => {
    if (text === null) return { note: texts.nothingBefore, tone: 'dim' };
    const isSame = text.startsWith('0');
    return {
      note: isSame ? texts.same[range] : `${text} ${texts.against[range]}`,
      tone: isSame ? 'dim' : tone,
    };
  };
  const shareOf = ({ errors, requests }: typeof last) => (requests === 0 ? 0 : errors / requests);
  const errors = earlier.requests === 0 ? null : pointsText(shareOf(last), shareOf(earlier));
  const worse = (now: number, then: number) => (now > then ? 'bad' : 'good');
  return {
    requests: say(changeText(last.requests, earlier.requests), 'dim'),
    errors: say(errors, worse(shareOf(last), shareOf(earlier))),
    denied: say(changeText(last.denied, earlier.denied), worse(last.denied, earlier.denied)),
  };
}
