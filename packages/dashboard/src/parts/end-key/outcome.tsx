// What the dialog shows during and after a change: the running clock, a row for each node, and the
// result.
import { lazy, Suspense, useEffect, useState } from 'react';
import { loadChunk } from '../../load-chunk.ts';
import { classes } from '../../ui/classes.ts';
import { Time } from '../../ui/content/time.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './end-key.module.css';
import { type EndAct, texts } from './texts.ts';
import type { NodeLine, Propagation } from './watch.ts';

const load = () => import('./receipt.tsx');
const Receipt = lazy(async () => ({ default: (await loadChunk(load)).Receipt }));

export function Clock({ act, startedMs }: { act: EndAct; startedMs: number }) {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    let frame = 0;
    const tick = () => {
      setMs(Math.round(performance.now() - startedMs));
      frame = requestAnimationFrame(tick);
    };
    tick();
    return () => cancelAnimationFrame(frame);
  }, [startedMs]);
  return (
    <div className={styles.result}>
      <p className={styles.headline}>
        <span role="status">{texts.running[act]}</span> <span>{texts.clock(ms)}</span>
      </p>
    </div>
  );
}

type OutcomeProps = { keyId: string; propagation: Propagation; tookMs: number };

export function Outcome({ keyId, propagation, tookMs }: OutcomeProps) {
  const { receipt } = propagation;
  return (
    <>
      <Result propagation={propagation} tookMs={tookMs} />
      {receipt !== null && (
        <Suspense fallback={<div className={styles.receipt} />}>
          <Receipt receipt={receipt} keyId={keyId} />
        </Suspense>
      )}
    </>
  );
}

function Result({ propagation, tookMs }: Omit<OutcomeProps, 'keyId'>) {
  const { total_nodes, silent_nodes, incomplete_reason: reason } = propagation;
  const silence = silent_nodes > 0 && <p className={styles.note}>{texts.silent(silent_nodes)}</p>;
  if (total_nodes === 0 && reason === null) {
    return (
      <div className={styles.result}>
        <p role="status" className={styles.headline}>
          {texts.noNode}
        </p>
        {silence}
      </div>
    );
  }
  return (
    <div className={classes(styles.result, reason === null ? styles.good : styles.warn)}>
      <p role="status" className={styles.headline}>
        <Icon name={reason === null ? 'check' : 'warning'} size={20} />
        {headlineOf(propagation)}
      </p>
      <p className={styles.note}>
        {reason === null ? texts.everywhereNote(tookMs) : texts.incomplete[reason]}
      </p>
      {silence}
    </div>
  );
}

/**
 * A change can be complete even though some nodes are silent. Those nodes may not have applied it,
 * so the headline doesn't say "everywhere".
 */
function headlineOf(propagation: Propagation): string {
  const { complete, total_nodes, acked_nodes, silent_nodes, waited_ms, nodes } = propagation;
  if (total_nodes === 0) return texts.noneYet(waited_ms);
  const lastMs = Math.max(0, ...nodes.map(({ acked_after_ms }) => acked_after_ms ?? 0));
  if (complete && silent_nodes === 0) return texts.everywhere(lastMs);
  return texts.some(acked_nodes, total_nodes, complete ? lastMs : waited_ms);
}

const ROWS_MAX = 200;

export function NodeRows({ lines, isOver }: { lines: readonly NodeLine[]; isOver: boolean }) {
  if (lines.length === 0) return null;
  return (
    <>
      <ol className={styles.nodes} aria-label={texts.list}>
        {lines.slice(0, ROWS_MAX).map((line) => (
          <NodeRow key={line.id} line={line} isOver={isOver} />
        ))}
      </ol>
      {lines.length > ROWS_MAX && (
        <p className={styles.note}>{texts.many(lines.length - ROWS_MAX)}</p>
      )}
    </>
  );
}

function NodeRow({ line, isOver }: { line: NodeLine; isOver: boolean }) {
  const { id, from, version, isApplied, afterMs, lastSeenAt } = line;
  const isMissing = isOver && !isApplied;
  return (
    <li className={classes(isApplied && styles.applied, isMissing && styles.missing)}>
      <span className={styles.mark}>
        {isApplied && <Icon name="check" size={14} />}
        {isMissing && <Icon name="warning" size={14} />}
      </span>
      <code className={styles.node}>{id}</code>
      <span className={styles.versions}>
        {from !== null && from !== version && (
          <>
            <span className={styles.old}>{texts.version(from)}</span>
            <Icon name="arrow" size={12} />
            <span className="unseen">{texts.becomes}</span>
          </>
        )}
        {texts.version(version)}
      </span>
      <span className={styles.after}>
        {afterMs !== null && texts.clock(afterMs)}
        {afterMs === null && isApplied && texts.applied}
        {afterMs === null && !isApplied && !isOver && texts.waits}
        {isMissing && (
          <>
            {texts.lastSeen} <Time at={lastSeenAt} />
          </>
        )}
      </span>
    </li>
  );
}
