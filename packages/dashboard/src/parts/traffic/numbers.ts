// Formats traffic numbers.
import { count } from '../../ui/content/spans.ts';

export const numberText = count;

/** At most three significant digits, because the latency histogram isn't more precise than that. */
export const latencyText = (ms: number): string =>
  ms >= 1000 ? `${(ms / 1000).toPrecision(3)} s` : `${Number(ms.toPrecision(3))} ms`;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });

export const shareText = (part: number, whole: number): string =>
  whole === 0 ? '–' : percent.format(part / whole);

const change = new Intl.NumberFormat('en', {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 0,
});

/** The relative change, such as "+12%"; null if the earlier value is zero. */
export const changeText = (now: number, before: number): string | null =>
  before === 0 ? null : change.format(now / before - 1);

const points = new Intl.NumberFormat('en', {
  signDisplay: 'exceptZero',
  maximumFractionDigits: 2,
});

/** The change between two rates, in percentage points. */
export const pointsText = (now: number, before: number): string =>
  `${points.format((now - before) * 100)} pp`;
