// Collects the metrics of one process. This file is loaded only if KEYRAIL_METRICS_TOKEN is set.
import type { Clock } from '../base/clock.ts';
import type { Counters } from '../volatile/counters.ts';
import { tallied } from './check-tally.ts';
import { type DeploymentSources, deploymentSeries } from './deployment-series.ts';
import { createJobTally, type ObserveJob } from './job-series.ts';
import { type OwnSources, ownSeries } from './own-series.ts';
import { requestSeries } from './request-series.ts';
import { createRequestTally, type RequestTally } from './request-tally.ts';
import { openRuntimeSeries } from './runtime-series.ts';

export type Metrics = {
  requests: RequestTally;
  observeJob: ObserveJob;
  talliedCounters(counters: Counters): Counters;
  /** Adds the metrics that are read on each scrape. */
  readFrom(sources: OwnSources & DeploymentSources): void;
  /** The metrics in the Prometheus text format. */
  text(): Promise<string>;
};

export function createMetrics(clock: Clock): Metrics {
  const requests = createRequestTally();
  const jobs = createJobTally(clock);
  const series: (() => string | Promise<string>)[] = [
    openRuntimeSeries(),
    () => requestSeries(requests),
    jobs.text,
  ];
  return {
    requests,
    observeJob: jobs.observe,
    talliedCounters(counters) {
      const { counters: counting, text } = tallied(counters);
      series.push(text);
      return counting;
    },
    readFrom: (sources) => void series.push(ownSeries(sources), deploymentSeries(sources)),
    text: async () => (await Promise.all(series.map((read) => read()))).join(''),
  };
}
