// The Prometheus text format.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { histogramText, metricText, valueText } from './metrics-text.ts';

test("a metric's name determines its type, and label values are escaped", () => {
  const odd = 'a "b" \\ c\nd';
  equal(
    metricText('x_total', 'Help.', [
      [{ one: odd, two: 2 }, 3],
      [{ one: '', two: 0 }, 0.5],
    ]),
    '# HELP x_total Help.\n# TYPE x_total counter\n' +
      'x_total{one="a \\"b\\" \\\\ c\\nd",two="2"} 3\nx_total{one="",two="0"} 0.5\n',
  );
});

test('a single-value metric has no labels, and has no sample if its value is missing', () => {
  equal(valueText('x', 'Help.', 0), '# HELP x Help.\n# TYPE x gauge\nx 0\n');
  equal(valueText('x', 'Help.', null), '# HELP x Help.\n# TYPE x gauge\n');
});

test('each histogram bucket also counts the values in all lower buckets', () => {
  const about = { name: 'x_seconds', help: 'Help.', bounds: [0.5, 1] };
  equal(
    histogramText(about, [{ labels: { a: 'b' }, buckets: [1, 0, 2], sum: 7.5 }]),
    `# HELP x_seconds Help.
# TYPE x_seconds histogram
x_seconds_bucket{a="b",le="0.5"} 1
x_seconds_bucket{a="b",le="1"} 1
x_seconds_bucket{a="b",le="+Inf"} 3
x_seconds_sum{a="b"} 7.5
x_seconds_count{a="b"} 3
`,
  );
});
