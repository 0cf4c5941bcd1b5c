// Revokes or disables several keys, one after another. Shows the result for each key, and can be
// stopped.
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { useEffect, useRef, useState } from 'react';
import { useApi, useRefresh, useSend } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { useScope } from '../../shell/scope.ts';
import { lastDays } from '../../ui/charts/intervals.ts';
import { State } from '../../ui/content/state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ImpactFacts } from '../../ui/feedback/impact-facts.tsx';
import { outcomeOf, Problem } from '../../ui/feedback/problem.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import styles from './keys.module.css';
import type { ApiKey } from './names.ts';
import { texts } from './texts.ts';

export type BulkAct = 'revoke' | 'disable';

type Result = 'waits' | 'runs' | 'done' | 'left' | Error;
type Props = { act: BulkAct; keys: readonly ApiKey[]; onClose(): void; onDone(): void };

export function Bulk({ act, keys: given, onClose, onDone }: Props) {
  // The list may reload while the dialog is open, but the selected keys stay the same.
  const [keys] = useState(given);
  const { env } = useScope();
  const run = useRun(act, keys);
  const title = texts.bulk.title(act, env, keys.length);
  if (run.phase === 'ready') {
    return <Ask act={act} keys={keys} title={title} onConfirm={run.start} onClose={onClose} />;
  }
  const close = () => {
    onDone();
    onClose();
  };
  const isOver = run.phase === 'over';
  const done = run.results.filter((result) => result === 'done').length;
  const failed = run.results.filter((result) => result instanceof Error).length;
  return (
    <Dialog
      title={title}
      onClose={isOver ? close : undefined}
      actions={
        isOver ? (
          <Button kind="primary" autoFocus onClick={close}>
            {texts.bulk.close}
          </Button>
        ) : (
          <Button autoFocus onClick={run.stop}>
            {texts.bulk.stop}
          </Button>
        )
      }
    >
      <p role="status">
        {texts.bulk.result(done, keys.length)}
        {failed > 0 && ` ${texts.bulk.failedSome(failed)}`}
        {run.results.includes('left') && ` ${texts.bulk.stopped}`}
      </p>
      <ol className={styles.results} aria-label={texts.bulk.list}>
        {keys.map((key, at) => (
          <ResultLine key={key.id} act={act} of={key} result={run.results[at] ?? 'waits'} />
        ))}
      </ol>
    </Dialog>
  );
}

type AskProps = {
  act: BulkAct;
  keys: readonly ApiKey[];
  title: string;
  onConfirm(): void;
  onClose(): void;
};

/**
 * The number of days to load. Usage is counted per UTC day, and the last seven days usually span
 * eight UTC days.
 */
const DAYS = 8;

type Day = { day: string; requests: number };

/**
 * Estimates the requests in the last `days` times 24 hours. The first UTC day is only partly in
 * that period and is counted in proportion, as in a dry run.
 */
function recentRequests(byDay: readonly Day[], days: number): number {
  const [first, ...whole] = lastDays(days + 1, nowMs());
  const share = 1 - (nowMs() % DAY_MS) / DAY_MS;
  const counted = byDay.map(({ day, requests }) =>
    day === first ? requests * share : whole.includes(day) ? requests : 0,
  );
  return Math.round(counted.reduce((sum, one) => sum + one, 0));
}

/** Asks for confirmation and shows the combined impact on all keys, loaded with one request. */
function Ask({ act, keys, title, onConfirm, onClose }: AskProps) {
  const { env, slug } = useScope();
  const usage = useApi('GET /v1/usage/keys', {
    query: { key_id: keys.map(({ id }) => id), days: DAYS },
  });
  const byDay = usage.data?.data.flatMap(({ data: days }) => days);
  const active = keys.filter(({ disabled_at }) => disabled_at === null).length;
  const used = keys.flatMap(({ last_used_at }) => last_used_at ?? []).sort();
  const isTyped = act === 'revoke' && env === 'live' && active > 1;
  return (
    <Confirm
      title={`${title}?`}
      action={title}
      typed={isTyped ? slug : null}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {usage.error && (
        <Problem error={usage.error} title={texts.bulk.noImpact} onRetry={usage.refetch} />
      )}
      <ImpactFacts
        impact={
          byDay && {
            keys: keys.length,
            capped: false,
            active_keys: active,
            tenants: new Set(keys.map(({ tenant_id }) => tenant_id)).size,
            requests_24h: recentRequests(byDay, 1),
            requests_7d: recentRequests(byDay, 7),
            last_used_at: used.at(-1) ?? null,
            nodes: null,
          }
        }
      />
      <p>{texts.bulk.text[act]}</p>
    </Confirm>
  );
}

function ResultLine({ act, of, result }: { act: BulkAct; of: ApiKey; result: Result }) {
  return (
    <li>
      <span>{of.name ?? of.display_prefix}</span>
      {result === 'done' && (
        <State tone="good" shape="full">
          {texts.bulk.done[act]}
        </State>
      )}
      {typeof result === 'string' && result !== 'done' && (
        <span className={styles.quiet}>{texts.bulk[result]}</span>
      )}
      {result instanceof Error && (
        <>
          <State tone="bad" shape="cross">
            {texts.bulk.failed}
          </State>
          <span className={styles.fault}>{outcomeOf(result)}</span>
        </>
      )}
    </li>
  );
}

function useRun(act: BulkAct, keys: readonly ApiKey[]) {
  const send = useSend();
  const refresh = useRefresh();
  const [phase, setPhase] = useState<'ready' | 'runs' | 'over'>('ready');
  const [results, setResults] = useState<readonly Result[]>(keys.map(() => 'waits'));
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const put = (at: number, result: Result) =>
    setResults((all) => all.map((one, each) => (each === at ? result : one)));
  const start = async (): Promise<void> => {
    isStopped.current = false;
    setPhase('runs');
    for (const [at, { id }] of keys.entries()) {
      if (isStopped.current) {
        put(at, 'left');
        continue;
      }
      put(at, 'runs');
      put(at, await ended(() => send(`POST /v1/keys/{id}/${act}`, { params: { id } })));
    }
    setPhase('over');
    void refresh('/v1/keys', '/v1/audit_logs', '/v1/workspace/summary');
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { phase, results, start: () => void start(), stop };
}

async function ended(change: () => Promise<unknown>): Promise<Result> {
  try {
    await change();
    return 'done';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
