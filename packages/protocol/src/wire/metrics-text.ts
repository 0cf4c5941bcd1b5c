// Writes the Prometheus text format for the metrics of the server, the SDK and Edge.

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;

export type Sample = readonly [Labels, number];

/**
 * A metric is a counter if its name ends in `_total`, otherwise a gauge. Without samples, only its
 * declaration is written.
 */
export function metricText(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => sampleText(name, labels, value));
  return declared(name, help, name.endsWith('_total') ? 'counter' : 'gauge') + lines.join('');
}

/** Writes a metric with a single value; if it is null, only the declaration is written. */
export const valueText = (name: string, help: string, value: number | null): string =>
  metricText(name, help, value === null ? [] : [[{}, value]]);

export type Histogram = {
  labels: Labels;
  /** How many values are in each bucket. The last bucket has no upper bound. */
  buckets: ArrayLike<number>;
  sum: number;
};

/** `bounds` are the upper bounds of all buckets but the last. */
export function histogramText(
  { name, help, bounds }: { name: string; help: string; bounds: readonly number[] },
  histograms: readonly Histogram[],
): string {
  const lines = histograms.flatMap(({ labels, buckets, sum }) => {
    // In the Prometheus format, each bucket also counts the values in all lower buckets.
    let below = 0;
    const counted = Array.from(buckets, (count, at) => {
      below += count;
      return sampleText(`${name}_bucket`, { ...labels, le: bounds[at] ?? '+Inf' }, below);
    });
    const whole = [
      sampleText(`${name}_sum`, labels, sum),
      sampleText(`${name}_count`, labels, below),
    ];
    return [...counted, ...whole];
  });
  return declared(name, help, 'histogram') + lines.join('');
}

const declared = (name: string, help: string, type: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function sampleText(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

const escaped = (text: string | number): string =>
  String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
