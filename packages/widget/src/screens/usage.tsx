import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
// One key's usage, as a chart with a bar for each day or as a table.
import { useEffect, useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { type ApiKey, nameOf } from '../core/api-key.ts';
import { detailOf, type Problem, problemOf } from '../core/problems.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemBox } from '../ui/problem.tsx';
import { Segments } from '../ui/segments.tsx';
import { Bars, type Day, DayTable } from './usage-figures.tsx';

const RANGES = [7, 30, 90];
const RANGE_DEFAULT = 30;

export function Usage({ of: key, onClose }: { of: ApiKey; onClose(): void }) {
  const { words } = useWidget();
  const [range, setRange] = useState(RANGE_DEFAULT);
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const { days, problem, retry } = useDays(key, range);
  return (
    <Dialog
      isWide
      title={words['usage.title'](nameOf(key, words))}
      onClose={onClose}
      actions={<Button onClick={onClose}>{words['action.close']}</Button>}
    >
      <div class="bar">
        <Segments<number>
          label={words['usage.range']}
          value={range}
          options={RANGES.map((value) => ({ value, label: words['usage.days'](value) }))}
          onValue={setRange}
        />
        <Segments<'chart' | 'table'>
          label={`${words['usage.chart']} / ${words['usage.table']}`}
          value={view}
          options={[
            { value: 'chart', label: words['usage.chart'] },
            { value: 'table', label: words['usage.table'] },
          ]}
          onValue={setView}
        />
      </div>
      {problem && (
        <ProblemBox of={problem}>
          <Button onClick={retry}>{words['action.retry']}</Button>
        </ProblemBox>
      )}
      {days && (view === 'chart' ? <Bars days={days} /> : <DayTable days={days} />)}
      {!days && !problem && <div class="chart skeleton" />}
    </Dialog>
  );
}

function useDays(key: ApiKey, range: number) {
  const { connection, words, emit } = useWidget();
  const [days, setDays] = useState<readonly Day[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new strings or events need no reload
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      try {
        const usage = await connection.call((client, signal) => {
          const asked = { params: { id: key.id }, query: { days: range }, signal };
          return client.call('GET /v1/embed/keys/{id}/usage', asked);
        });
        if (!isCurrent) return;
        setDays(everyDay(usage.data, range));
        setProblem(null);
      } catch (error) {
        if (!isCurrent) return;
        const found = problemOf(error, 'read', words);
        setProblem(found);
        emit('error', detailOf(error, found));
      }
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [key.id, range, attempt]);
  return { days, problem, retry: () => setAttempt(attempt + 1) };
}

/** Adds the days without traffic, which the API leaves out. */
function everyDay(days: readonly Day[], range: number): Day[] {
  const known = new Map(days.map((one) => [one.day, one]));
  const now = nowMs();
  const all: Day[] = [];
  for (let ago = range - 1; ago >= 0; ago -= 1) {
    const day = new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, requests: 0, errors: 0 });
  }
  return all;
}
