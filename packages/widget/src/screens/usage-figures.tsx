// A key's usage as bars and as a table.
import type { Answer } from '@keyrail/client';
import { countText, dayText } from '../core/times.ts';
import { useWidget } from '../ui/context.ts';

export type Day = Answer<'GET /v1/embed/keys/{id}/usage'>['data'][number];

const WIDTH = 100;
const HEIGHT = 40;
const GAP_SHARE = 0.25;
/**
 * The minimum height of a bar. Keeps a day with one request visible next to a day with a million.
 */
const BAR_MIN = 0.6;

const sumOf = (days: readonly Day[], field: 'requests' | 'errors'): number =>
  days.reduce((sum, day) => sum + day[field], 0);

export function Bars({ days }: { days: readonly Day[] }) {
  const { words } = useWidget();
  const most = Math.max(...days.map(({ requests }) => requests));
  const [requests, errors] = (['requests', 'errors'] as const).map((field) =>
    countText(sumOf(days, field), words),
  );
  const summary = words['usage.summary'](requests ?? '', errors ?? '');
  const ends = [days[0], days.at(-1)];
  if (most === 0) return <p class="chart none">{words['usage.none']}</p>;
  return (
    <figure part="chart" class="chart">
      <figcaption>{summary}</figcaption>
      <span class="most" aria-hidden="true">
        {countText(most, words)}
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {days.map((day, at) => (
          <Bar key={day.day} of={day} at={at} step={WIDTH / days.length} most={most} />
        ))}
      </svg>
      <div class="ends" aria-hidden="true">
        {ends.map((day) => day && <span key={day.day}>{dayText(day.day, words)}</span>)}
      </div>
    </figure>
  );
}

type BarProps = { of: Day; at: number; step: number; most: number };

function Bar({ of: { day, requests, errors }, at, step, most }: BarProps) {
  const { words } = useWidget();
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(BAR_MIN, (count / most) * HEIGHT);
  const place = { x: at * step + (step * GAP_SHARE) / 2, width: step * (1 - GAP_SHARE) };
  const said = words['usage.summary'](countText(requests, words), countText(errors, words));
  return (
    <g>
      <title>{`${dayText(day, words)}: ${said}`}</title>
      <rect class="hit" x={at * step} y="0" width={step} height={HEIGHT} />
      <rect
        class="requests"
        {...place}
        y={HEIGHT - heightOf(requests)}
        height={heightOf(requests)}
      />
      <rect class="errors" {...place} y={HEIGHT - heightOf(errors)} height={heightOf(errors)} />
    </g>
  );
}

export function DayTable({ days }: { days: readonly Day[] }) {
  const { words } = useWidget();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <section class="days" tabIndex={0} aria-label={words['usage.table']}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words['usage.day']}</th>
            <th scope="col">{words['usage.requests']}</th>
            <th scope="col">{words['usage.errors']}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, requests, errors }) => (
            <tr key={day}>
              <th scope="row">{dayText(day, words)}</th>
              <td>{countText(requests, words)}</td>
              <td>{countText(errors, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
