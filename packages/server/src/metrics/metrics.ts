// The metrics of one process in the text format of Prometheus. This file and prom-client are loaded
// only if the setting of the token is present.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import type { Counters } from '../volatile/counters.ts';
import { tallied } from './check-tally.ts';
import { addDeploymentSeries, type DeploymentSources } from './deployment-series.ts';
import { addJobSeries, type ObserveJob } from './job-series.ts';
import { addOwnSeries, type OwnSources } from './own-series.ts';
import { addRequestSeries } from './request-series.ts';
import { createRequestTally, type RequestTally } from './request-tally.ts';

export type Metrics = {
  requests: RequestTally;
  observeJob: ObserveJob;
  talliedCounters(counters: Counters): Counters;
  /** Adds the figures that are read when they are scraped. */
  readFrom(sources: OwnSources & DeploymentSources): void;
  contentType: string;
  text(): Promise<string>;
};

export function createMetrics(clock: Clock): Metrics {
  const register = new Registry();
  // CPU, memory, garbage collection, open files, and the delay of the event loop.
  collectDefaultMetrics({ register });
  const requests = createRequestTally();
  addRequestSeries(register, requests);
  return {
    requests,
    observeJob: addJobSeries(register, clock),
    talliedCounters: (counters) => tallied(counters, register),
    readFrom(sources) {
      addOwnSeries(register, sources);
      addDeploymentSeries(register, sources);
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
