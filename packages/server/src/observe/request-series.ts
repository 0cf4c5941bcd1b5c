// The response metrics, built on each scrape from the tallies of all endpoints.
import { histogramText, metricText, type Sample } from '@keyrail/protocol/wire/metrics-text.ts';
import { BOUNDS_S, type RequestTally } from './request-tally.ts';

export function requestSeries(tally: RequestTally): string {
  const lines = [...tally.all()];
  return (
    metricText(
      'keyrail_http_requests_total',
      'Responses by endpoint and status.',
      lines.flatMap(({ line, byStatus }) =>
        Array.from(byStatus, ([status, count]): Sample => [{ line, status }, count]),
      ),
    ) +
    histogramText(
      {
        name: 'keyrail_http_request_seconds',
        help: 'Response times by endpoint.',
        bounds: BOUNDS_S,
      },
      lines.map(({ line, buckets, sumSeconds }) => ({
        labels: { line },
        buckets,
        sum: sumSeconds,
      })),
    )
  );
}
