// Draws a chart as SVG: bars for counts, lines for latencies. The scale begins at zero. A crosshair
// follows the pointer and the arrow keys, and its values are spoken.
import { max } from 'd3-array';
import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { en } from '../texts/en.ts';
import styles from './chart.module.css';
import { absoluteTime, shortCount } from './spans.ts';

export type Series = {
  name: string;
  /** A colour of the palette of charts. */
  tone: 1 | 2 | 3 | 4 | 5;
  /** Null before the first event; zero is no traffic. */
  values: readonly (number | null)[];
};

export type ChartProps = {
  label: string;
  kind: 'bars' | 'lines';
  times: readonly string[];
  series: readonly Series[];
  format?: (value: number) => string;
};

const LEFT = 44;
/** Room for the names at the end of the lines; narrow charts have them on top instead. */
const RIGHT = 92;
const RIGHT_NARROW = 8;
const NARROW_PX = 480;
const TOP = 8;
const TOP_NARROW = 28;
const LETTER_PX = 7;
const BOTTOM = 24;
const GRID_LINES = 4;
const LABEL_PX = 15;
const TIME_LABELS = 5;

const colourOf = ({ tone }: Series): string => `var(--series-${tone})`;

export function Drawing(props: ChartProps) {
  const { label, times } = props;
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const { width, height } = size;
  const [at, setAt] = useState<number | null>(null);
  const scales = scalesOf(props, size);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    setAt(nearest(x, scales, times.length));
  };
  const press = (event: KeyboardEvent) => {
    const last = times.length - 1;
    const to = {
      ArrowLeft: Math.max(0, (at ?? times.length) - 1),
      ArrowRight: Math.min(last, (at ?? -1) + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(to);
  };
  return (
    <div
      ref={box}
      role="application"
      aria-label={`${label}. ${en.chart.hint}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the crosshair
      tabIndex={0}
      className={styles.drawing}
      onPointerMove={point}
      onPointerLeave={() => setAt(null)}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      <svg width={width} height={height} aria-hidden="true">
        <Grid {...props} size={size} scales={scales} />
        {props.kind === 'bars' ? (
          <Bars {...props} scales={scales} />
        ) : (
          <Lines {...props} scales={scales} />
        )}
        {isNarrow(size) ? (
          <NamesOnTop {...props} />
        ) : (
          <Names {...props} scales={scales} size={size} />
        )}
        {at !== null && (
          <line
            x1={scales.x(at)}
            x2={scales.x(at)}
            y1={topOf(size)}
            y2={height - BOTTOM}
            className={styles.crosshair}
          />
        )}
      </svg>
      {/* It exists before its text does: only then is the text spoken. */}
      <div role="status">
        {at !== null && <Values {...props} at={at} x={scales.x(at)} width={width} />}
      </div>
    </div>
  );
}

type Size = { width: number; height: number };

const isNarrow = ({ width }: Size): boolean => width < NARROW_PX;
const topOf = (size: Size): number => (isNarrow(size) ? TOP_NARROW : TOP);
const endOf = (size: Size): number => size.width - (isNarrow(size) ? RIGHT_NARROW : RIGHT);

function useSize(box: { current: HTMLDivElement | null }): Size {
  const [size, setSize] = useState({ width: 640, height: 220 });
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ width: Math.max(200, width), height: Math.max(120, height) });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

type Scales = { x(at: number): number; y(value: number): number; step: number; ticks: number[] };

function scalesOf({ kind, times, series }: ChartProps, size: Size): Scales {
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

const nearest = (px: number, { x }: Scales, count: number): number => {
  let best = 0;
  for (let at = 1; at < count; at += 1) {
    if (Math.abs(x(at) - px) < Math.abs(x(best) - px)) best = at;
  }
  return best;
};

type PartProps = ChartProps & { scales: Scales };

function Grid({ kind, scales, size, times, format = shortCount }: PartProps & { size: Size }) {
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

/** The hour within two days, the day otherwise. */
function timeLabel(time: string, times: readonly string[]): string {
  const spanMs = Date.parse(times.at(-1) ?? time) - Date.parse(times[0] ?? time);
  const at = new Date(time);
  return spanMs <= 2 * 86_400_000
    ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

const Bars = ({ times, series, scales }: PartProps) => (
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

function Lines({ series, scales }: PartProps) {
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

/** The names stand at the end of their lines or bars, instead of a legend. */
function Names({ kind, series, times, scales, size }: PartProps & { size: Size }) {
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

function NamesOnTop({ series }: ChartProps) {
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

type ValuesProps = ChartProps & { at: number; x: number; width: number };

const Values = ({ times, series, at, x, width, format = shortCount }: ValuesProps) => (
  <div
    className={styles.values}
    style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}
  >
    <strong>{absoluteTime(new Date(times[at] ?? 0))}</strong>
    {series.map((one) => {
      const value = one.values[at];
      return (
        <span key={one.name}>
          <i style={{ background: colourOf(one) }} />
          {one.name} <b>{value === null || value === undefined ? '–' : format(value)}</b>
        </span>
      );
    })}
  </div>
);
