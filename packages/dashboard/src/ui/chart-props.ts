// What a chart shows.

export type Series = {
  id: string;
  label: string;
  /** A colour of the series tokens. */
  color: 1 | 2 | 3 | 4 | 5;
  /** An area below the line, for the series that the chart is about. */
  filled?: boolean;
  /** One value for each time; null where nothing was measured. */
  values: readonly (number | null)[];
  /** Shown beside the label while no moment is chosen. */
  total?: string;
};

export type ChartProps = {
  /** The name of the chart: "Requests by hour". */
  label: string;
  /** The starts of the intervals, in ascending order. */
  times: readonly number[];
  interval: 'hour' | 'day';
  series: readonly Series[];
  /** A value in words, with its unit. */
  format(value: number): string;
};

export const CHART_PX = 220;
