// A chart's props, size and scales. The scales start at zero.
import { max } from 'd3-array';
import { scaleLinear, scalePoint } from 'd3-scale';

type Series = {
  name: string;
  /** A colour from the chart palette. */
  tone: 1 | 2 | 3 | 4 | 5;
  /** A value is null before the first event. Zero means that there was no traffic. */
  values: readonly (number | null)[];
};

export type ChartProps = {
  label: string;
  kind: 'bars' | 'lines';
  times: readonly string[];
  series: readonly Series[];
  format?: (value: number) => string;
};

export const LEFT = 44;
/**
 * Space for the series names at the end of the lines. Narrow charts show the names above instead.
 */
const RIGHT = 92;
const RIGHT_NARROW = 8;
const NARROW_PX = 480;
const TOP = 8;
const TOP_NARROW = 28;
export const BOTTOM = 24;
const GRID_LINES = 4;

export const colourOf = ({ tone }: Series): string => `var(--series-${tone})`;

export type Size = { width: number; height: number };

export const isNarrow = ({ width }: Size): boolean => width < NARROW_PX;
export const topOf = (size: Size): number => (isNarrow(size) ? TOP_NARROW : TOP);
export const endOf = (size: Size): number => size.width - (isNarrow(size) ? RIGHT_NARROW : RIGHT);

export type Scales = {
  x(at: number): number;
  y(value: number): number;
  step: number;
  ticks: number[];
};

export function scalesOf({ kind, times, series }: ChartProps, size: Size): Scales {
  const totals = times.map((_, at) => {
    const values = series.map(({ values: each }) => each[at] ?? 0);
    return kind === 'bars' ? values.reduce((sum, one) => sum + one, 0) : Math.max(0, ...values);
  });
  const y = scaleLinear(
    [0, Math.max(1, max(totals) ?? 1)],
    [size.height - BOTTOM, topOf(size)],
  ).nice(GRID_LINES);
  const x = scalePoint(
    times.map((_, at) => at),
    [LEFT, Math.max(LEFT + 10, endOf(size))],
  ).padding(0.5);
  return { x: (at) => x(at) ?? LEFT, y, step: x.step() || 8, ticks: y.ticks(GRID_LINES) };
}

export const nearest = (px: number, { x }: Scales, count: number): number => {
  let best = 0;
  for (let at = 1; at < count; at += 1) {
    if (Math.abs(x(at) - px) < Math.abs(x(best) - px)) best = at;
  }
  return best;
};
