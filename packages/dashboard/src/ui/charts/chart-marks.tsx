// The parts of a chart's drawing: grid, bars, lines and series names.
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { line } from 'd3-shape';
import { clockText, dayText, shortCount } from '../content/spans.ts';
import styles from './chart.module.css';
import { type ChartProps, colourOf, endOf, LEFT, type Scales, type Size } from './chart-scales.ts';

const LETTER_PX = 7;
const LABEL_PX = 15;
const TIME_LABELS = 5;

type PartProps = ChartProps & { scales: Scales };

export function Grid({
  kind,
  scales,
  size,
  times,
  format = shortCount,
}: PartProps & { size: Size }) {
  const every = Math.max(1, Math.ceil(times.length / TIME_LABELS));
  return (
    <g>
      {scales.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={LEFT}
            x2={endOf(size)}
            y1={scales.y(tick)}
            y2={scales.y(tick)}
            className={styles.grid}
          />
          <text x={LEFT - 8} y={scales.y(tick) + 4} textAnchor="end" className={styles.tick}>
            {kind === 'bars' ? shortCount(tick) : format(tick)}
          </text>
        </g>
      ))}
      {times.map((time, at) =>
        at % every === 0 ? (
          <text
            key={time}
            x={scales.x(at)}
            y={size.height - 6}
            textAnchor="middle"
            className={styles.tick}
          >
            {timeLabel(time, times)}
          </text>
        ) : null,
      )}
    </g>
  );
}

/**
 * A label for the time axis: a time of day for ranges of up to two days, and a date for longer
 * ones.
 */
function timeLabel(time: string, times: readonly string[]): string {
  const spanMs = Date.parse(times.at(-1) ?? time) - Date.parse(times[0] ?? time);
  const at = new Date(time);
  return spanMs <= 2 * DAY_MS ? clockText(at) : dayText(at);
}

export const Bars = ({ times, series, scales }: PartProps) => (
  <g>
    {times.map((time, at) => {
      let below = 0;
      return series.map((one) => {
        const value = one.values[at] ?? 0;
        const bottom = scales.y(below);
        below += value;
        const top = scales.y(below);
        const width = Math.max(1, Math.min(28, scales.step * 0.72));
        return value === 0 ? null : (
          <rect
            key={`${time} ${one.name}`}
            x={scales.x(at) - width / 2}
            y={top}
            width={width}
            height={Math.max(1, bottom - top)}
            rx={1}
            fill={colourOf(one)}
          />
        );
      });
    })}
  </g>
);

export function Lines({ series, scales }: PartProps) {
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => scales.x(at))
    .y((value) => scales.y(value ?? 0));
  return (
    <g fill="none" strokeWidth={1.75} strokeLinejoin="round">
      {series.map((one) => (
        <path key={one.name} d={path([...one.values]) ?? ''} stroke={colourOf(one)} />
      ))}
    </g>
  );
}

/** Series names next to the lines or bars. They replace a legend. */
export function Names({ kind, series, times, scales, size }: PartProps & { size: Size }) {
  const last = times.length - 1;
  let below = 0;
  const places = series.map((one) => {
    const value = one.values[last] ?? 0;
    const y = scales.y(kind === 'bars' ? below + value / 2 : value);
    below += value;
    return { one, y };
  });
  let free = Number.POSITIVE_INFINITY;
  return (
    <g>
      {places
        .toSorted((a, b) => b.y - a.y)
        .map(({ one, y }) => {
          const at = Math.min(y, free - LABEL_PX);
          free = at;
          return (
            <text
              key={one.name}
              x={endOf(size) + 8}
              y={at + 4}
              className={styles.name}
              fill={colourOf(one)}
            >
              {one.name}
            </text>
          );
        })}
    </g>
  );
}

export function NamesOnTop({ series }: ChartProps) {
  let x = LEFT;
  return (
    <g>
      {series.map((one) => {
        const from = x;
        x += one.name.length * LETTER_PX + 28;
        return (
          <g key={one.name} fill={colourOf(one)}>
            <rect x={from} y={4} width={8} height={8} rx={2} />
            <text x={from + 13} y={12} className={styles.name}>
              {one.name}
            </text>
          </g>
        );
      })}
    </g>
  );
}
