// Traffic or latency over the time range. The API omits intervals without traffic, so they are
// added here.
import type { ReactNode } from 'react';
import { Chart } from '../../ui/charts/chart.tsx';
import { lastIntervals } from '../../ui/charts/intervals.ts';
import { useNow } from '../../ui/content/time.tsx';
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

type Point = Overview['data'][number];
type Props = { overview: Overview; range: Range; view: TrafficView; aside?: ReactNode };

export function TrafficChart({ overview, range, view, aside }: Props) {
  const { interval, count } = rangeFacts[range];
  const starts = lastIntervals(interval, count, useNow());
  const points = new Map(overview.data.map((point) => [Date.parse(point.start), point]));
  const valuesOf = <T,>(read: (point: Point) => T, none: T) =>
    starts.map((start) => {
      const point = points.get(start);
      return point ? read(point) : none;
    });
  const times = starts.map((start) => new Date(start).toISOString());
  if (view === 'latency') {
    const latency = (name: 'p50' | 'p99') =>
      valuesOf<number | null>((point) => point.latency_ms?.[name] ?? null, null);
    return (
      <Chart
        kind="lines"
        aside={aside}
        label={texts.latencyTitle[interval]}
        times={times}
        series={[
          { name: texts.p50, tone: 4, values: latency('p50') },
          { name: texts.p99, tone: 5, values: latency('p99') },
        ]}
        format={latencyText}
      />
    );
  }
  return (
    <Chart
      kind="bars"
      aside={aside}
      label={texts.title[interval]}
      times={times}
      series={[
        { name: texts.succeeded, tone: 1, values: valuesOf(succeededOf, 0) },
        { name: texts.failed, tone: 2, values: valuesOf(failedOf, 0) },
        { name: texts.denied, tone: 3, values: valuesOf(deniedOf, 0) },
      ]}
      format={numberText}
    />
  );
}

/**
 * Requests that failed without being denied. The API's errors include denied requests, and both
 * numbers are rounded, so their difference could be negative.
 */
const failedOf = (point: Point): number => Math.max(0, point.errors - deniedOf(point));
const succeededOf = (point: Point): number =>
  Math.max(0, point.requests - failedOf(point) - deniedOf(point));
