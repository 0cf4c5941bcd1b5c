// Traffic or latency over the range. Intervals without traffic are filled in: the API omits them.
import { Chart } from '../ui/chart.tsx';
import type { Series } from '../ui/chart-props.ts';
import { lastIntervals } from '../ui/intervals.ts';
import { shortCount } from '../ui/spans.ts';
import { useNow } from '../ui/time.tsx';
import { latencyText, numberText } from './numbers.ts';
import { deniedOf, type Overview, type Range, rangeFacts } from './ranges.ts';
import { texts } from './texts.ts';

export type TrafficView = 'traffic' | 'latency';

export const parseView = (text: string | undefined): TrafficView =>
  text === 'latency' ? 'latency' : 'traffic';

export const viewOptions: readonly { value: TrafficView; label: string }[] = [
  { value: 'traffic', label: texts.traffic },
  { value: 'latency', label: texts.latency },
];

type Props = { overview: Overview; range: Range; view: TrafficView };

export function TrafficChart({ overview, range, view }: Props) {
  const { interval, count } = rangeFacts[range];
  const times = lastIntervals(interval, count, useNow());
  const points = new Map(overview.data.map((point) => [Date.parse(point.start), point]));
  const valuesOf = <T,>(read: (point: Overview['data'][number]) => T, none: T) =>
    times.map((time) => {
      const point = points.get(time);
      return point ? read(point) : none;
    });
  const { total } = overview;
  const traffic: Series[] = [
    {
      id: 'requests',
      label: texts.requests,
      color: 1,
      filled: true,
      values: valuesOf((point) => point.requests, 0),
      total: shortCount(total.requests),
    },
    {
      id: 'errors',
      label: texts.errors,
      color: 2,
      values: valuesOf((point) => point.errors, 0),
      total: shortCount(total.errors),
    },
    {
      id: 'denied',
      label: texts.denied,
      color: 3,
      values: valuesOf(deniedOf, 0),
      total: shortCount(deniedOf(total)),
    },
  ];
  const latency: Series[] = (['p50', 'p99'] as const).map((name, at) => ({
    id: name,
    label: texts[name],
    color: at === 0 ? 4 : 5,
    values: valuesOf<number | null>((point) => point.latency_ms?.[name] ?? null, null),
    ...(total.latency_ms && { total: latencyText(total.latency_ms[name]) }),
  }));
  return view === 'traffic' ? (
    <Chart
      {...{ times, interval }}
      label={texts.title[interval]}
      series={traffic}
      format={numberText}
    />
  ) : (
    <Chart
      {...{ times, interval }}
      label={texts.latencyTitle[interval]}
      series={latency}
      format={latencyText}
    />
  );
}
