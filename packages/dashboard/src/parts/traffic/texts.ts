export const texts = {
  range: 'Time',
  ranges: { '24h': '24 h', '7d': '7 d', '35d': '35 d' },
  view: 'Figures',
  traffic: 'Traffic',
  latency: 'Latency',
  succeeded: 'Succeeded',
  failed: 'Failed',
  denied: 'Refused',
  p50: 'p50',
  p99: 'p99',
  title: { hour: 'Requests by hour', day: 'Requests by day' },
  latencyTitle: { hour: 'Latency by hour', day: 'Latency by day' },
};
