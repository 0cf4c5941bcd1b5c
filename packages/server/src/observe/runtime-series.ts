// Metrics for the process and for Node.js, under the names that Prometheus client libraries use.
import { readdir, readFile } from 'node:fs/promises';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import {
  type Histogram,
  histogramText,
  metricText,
  valueText,
} from '@keyrail/protocol/wire/metrics-text.ts';
import { SECOND_MS } from '../base/duration.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** How often the event loop delay is measured. */
const RESOLUTION_MS = 10;

export function openRuntimeSeries(): () => Promise<string> {
  const lag = openLag();
  const collections = openCollections();
  return async () => [usageTexts(), await fileTexts(), lag(), collections()].flat().join('');
}

function usageTexts(): string[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.');
  return [
    valueText(
      'process_cpu_seconds_total',
      'User and system CPU time of the process.',
      (user + system) / MICROSECONDS,
    ),
    valueText(
      'process_start_time_seconds',
      'When the process started, as Unix time.',
      performance.timeOrigin / SECOND_MS,
    ),
    valueText('process_resident_memory_bytes', 'Resident memory.', rss),
    valueText('nodejs_heap_size_total_bytes', 'Size of the heap.', heapTotal),
    valueText('nodejs_heap_size_used_bytes', 'Heap memory in use.', heapUsed),
    valueText('nodejs_external_memory_bytes', 'Memory used by objects outside the heap.', external),
    metricText('nodejs_version_info', 'Always 1; the labels give the Node.js version.', [
      [{ version: process.version, major, minor, patch }, 1],
    ]),
  ];
}

/** These metrics are left out if the system has no /proc. */
async function fileTexts(): Promise<string[]> {
  const [open, limits] = await Promise.all([
    readdir('/proc/self/fd').catch(() => null),
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
  ]);
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return [
    valueText('process_open_fds', 'Open files and connections.', open?.length ?? null),
    valueText(
      'process_max_fds',
      'Maximum number of open files and connections.',
      most === undefined ? null : Number(most),
    ),
  ];
}

/** The event loop delay since the previous scrape. */
function openLag(): () => string[] {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  return () => {
    const figures = {
      p50: lag.percentile(50),
      p90: lag.percentile(90),
      p99: lag.percentile(99),
      max: lag.max,
    };
    lag.reset();
    return Object.entries(figures).map(([name, nanoseconds]) =>
      valueText(
        `nodejs_eventloop_lag_${name}_seconds`,
        `Event loop delay since the last scrape (${name}).`,
        nanoseconds / NANOSECONDS,
      ),
    );
  };
}

const KINDS: [number, string][] = [
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
];
const GC_BOUNDS_S = [0.001, 0.01, 0.1, 1, 2, 5];

function openCollections(): () => string {
  const byKind = new Map(
    KINDS.map(([number, kind]) => [
      number,
      { labels: { kind }, buckets: new Float64Array(GC_BOUNDS_S.length + 1), sum: 0 },
    ]),
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const histogram = byKind.get(Object(Reflect.get(entry, 'detail')).kind);
      if (histogram) add(histogram, entry.duration / SECOND_MS);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const about = {
    name: 'nodejs_gc_duration_seconds',
    help: 'Garbage collection pauses by kind.',
    bounds: GC_BOUNDS_S,
  };
  return () => histogramText(about, [...byKind.values()]);
}

function add(histogram: Histogram & { buckets: Float64Array }, seconds: number): void {
  const at = GC_BOUNDS_S.findIndex((bound) => seconds <= bound);
  const bucket = at === -1 ? GC_BOUNDS_S.length : at;
  histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0) + 1;
  histogram.sum += seconds;
}
