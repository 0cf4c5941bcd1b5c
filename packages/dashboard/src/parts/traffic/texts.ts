export const texts = {
  range: 'Time range',
  ranges: { '24h': '24 h', '7d': '7 d', '35d': '35 d' },
  view: 'Metric',
  traffic: 'Traffic',
  latency: 'Latency',
  succeeded: 'Succeeded',
  failed: 'Failed',
  denied: 'Denied',
  p50: 'p50',
  p99: 'p99',
  title: { hour: 'Requests per hour', day: 'Requests per day' },
  latencyTitle: { hour: 'Latency per hour', day: 'Latency per day' },
};
