export const texts = {
  range: 'Time',
  ranges: { '24h': '24 h', '7d': '7 d', '35d': '35 d' },
  view: 'Figures',
  traffic: 'Traffic',
  latency: 'Latency',
  requests: 'Requests',
  errors: 'Errors',
  denied: 'Refused',
  p50: 'p50',
  p99: 'p99',
  title: { hour: 'Traffic by hour', day: 'Traffic by day' },
  latencyTitle: { hour: 'Latency by hour', day: 'Latency by day' },
};
