// A tiny bar chart, with the same values as text.

const WIDTH = 72;
const HEIGHT = 20;
const GAP = 2;

export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      {values.map((value, at) => {
        // A day without requests gets a thin line instead of a bar, so that it doesn't look like
        // missing data.
        const height = value === 0 ? 1 : Math.max(2, (value / max) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: values keep their position
            key={at}
            x={at * step}
            y={HEIGHT - height}
            width={step - GAP}
            height={height}
            rx={1}
            fill={value === 0 ? 'var(--edge-strong)' : 'var(--series-1)'}
            opacity={value === 0 ? 0.6 : 1}
          />
        );
      })}
    </svg>
  );
}
