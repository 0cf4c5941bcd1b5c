// The series of responses, built from the tallies of all lines when they are scraped.
import { Counter, Histogram, type Registry } from 'prom-client';
import { BOUNDS_S, type LineTally, type RequestTally } from './request-tally.ts';

const SECONDS_NAME = 'keyrail_http_request_seconds';
const HELP = 'How long responses took, by line.';

export function addRequestSeries(register: Registry, tally: RequestTally): void {
  new Counter({
    name: 'keyrail_http_requests_total',
    help: 'Responses by line and status.',
    labelNames: ['line', 'status'],
    registers: [register],
    collect() {
      this.reset();
      for (const { line, byStatus } of tally.all()) {
        for (const [status, count] of byStatus) this.inc({ line, status }, count);
      }
    },
  });
  register.registerMetric(new RequestSeconds(tally));
}

/** A histogram whose values come from the tallies. */
class RequestSeconds extends Histogram<'line'> {
  readonly #tally: RequestTally;

  constructor(tally: RequestTally) {
    super({
      name: SECONDS_NAME,
      help: HELP,
      labelNames: ['line'],
      buckets: BOUNDS_S,
      registers: [],
    });
    this.#tally = tally;
  }

  /** The registry calls this when it writes text. */
  async getForPromString() {
    const values = [...this.#tally.all()].flatMap(valuesOf);
    return { name: SECONDS_NAME, help: HELP, type: 'histogram', values };
  }
}

/** Each bucket counts what is in it and in all smaller ones. */
function valuesOf({ line, buckets, sumSeconds }: LineTally) {
  let below = 0;
  const counted = [...buckets].map((count, at) => {
    below += count;
    const labels = { line, le: BOUNDS_S[at] ?? '+Inf' };
    return { metricName: `${SECONDS_NAME}_bucket`, labels, value: below };
  });
  const labels = { line };
  return [
    ...counted,
    { metricName: `${SECONDS_NAME}_sum`, labels, value: sumSeconds },
    { metricName: `${SECONDS_NAME}_count`, labels, value: below },
  ];
}
