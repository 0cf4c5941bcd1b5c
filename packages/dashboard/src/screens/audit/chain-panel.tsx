// Shows this browser's verification result, the server's result, and a comparison with the previous
// verification.
import { useEffect, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Meter } from '../../ui/charts/meter.tsx';
import { State } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import styles from './audit.module.css';
import { Finding } from './finding.tsx';
import { forgetHead, type RememberedHead, rememberedHead } from './remembered-head.ts';
import { ServerLine } from './server-line.tsx';
import { texts } from './texts.ts';
import { type ChainCheck, type Finished, useChainCheck, type Verdict } from './use-chain-check.ts';

export function ChainPanel() {
  const { workspaceId } = useScope();
  const { check, verdict, start, stop } = useChainCheck(workspaceId);
  const [last, setLast] = useState<RememberedHead | null>(null);
  useEffect(() => setLast(rememberedHead(workspaceId)), [workspaceId]);
  const { chain } = texts;
  const isRunning = check.status === 'running';
  const forget = () => {
    forgetHead(workspaceId);
    setLast(null);
    stop();
  };
  return (
    <section className={styles.chain} aria-label={chain.title}>
      <header className={styles.chainHead}>
        <div>
          <h2>
            {chain.title}
            <Result check={check} />
          </h2>
          <p>{chain.lead}</p>
          {check.status === 'idle' && <Last last={last} />}
        </div>
        <Button icon={isRunning ? 'stop' : 'check'} onClick={isRunning ? stop : start}>
          {isRunning ? chain.stop : check.status === 'idle' ? chain.start : chain.again}
        </Button>
      </header>
      {isRunning && <Running checked={check.checked} rowsPerSecond={check.rowsPerSecond} />}
      {check.status === 'failed' && (
        <p role="alert" className={styles.failed}>
          {chain.failed(check.checked)} {check.message}
        </p>
      )}
      {check.status === 'done' && <Done check={check} verdict={verdict} onForget={forget} />}
    </section>
  );
}

const Last = ({ last }: { last: RememberedHead | null }) =>
  last === null ? (
    <p className={styles.tail}>{texts.chain.never}</p>
  ) : (
    <p className={styles.tail}>
      {texts.chain.last(last.seq)} <Time at={last.at} />.
    </p>
  );

const Result = ({ check }: { check: ChainCheck }) => (
  <span role="status">
    {check.status === 'done' &&
      (check.broken === null ? (
        <State tone="good" shape="full">
          {texts.chain.whole(check.head.seq)}
        </State>
      ) : (
        <State tone="bad" shape="triangle">
          {texts.chain.broken(check.broken.seq)}
        </State>
      ))}
  </span>
);

/**
 * The progress of a running check. The row that was newest when the check started counts as 100%.
 */
function Running({ checked, rowsPerSecond }: { checked: number; rowsPerSecond: number }) {
  const newest = useApi('GET /v1/audit_logs', { query: { order: 'desc', limit: 1 } });
  const total = Math.max(checked, newest.data?.data[0]?.seq ?? 0);
  return (
    <div className={styles.running}>
      <Meter
        label={texts.chain.progress}
        value={checked}
        max={total}
        text={texts.chain.position(checked, total)}
      />
      <p className={styles.tail}>{texts.chain.rate(rowsPerSecond)}</p>
    </div>
  );
}

type DoneProps = { check: Finished; verdict: Verdict; onForget(): void };

function Done({ check, verdict, onForget }: DoneProps) {
  const scope = useScope();
  const { chain } = texts;
  const { broken, head, tookMs, hashing } = check;
  return (
    <dl className={styles.findings}>
      <Finding isGood={broken === null} title={chain.here}>
        {broken === null ? chain.hereWhole(head.seq, tookMs) : chain.hereBroken(broken, head.seq)}{' '}
        {chain.hashing[hashing]}
        {broken !== null && broken.reason !== 'cut' && broken.reason !== 'missing' && (
          <LinkButton small to={paths.auditEntry({ ...scope, seq: broken.seq })}>
            {chain.openRow(broken.seq)}
          </LinkButton>
        )}
      </Finding>
      <ServerLine check={check} verdict={verdict} />
      <Visit check={check} onForget={onForget} />
      <div className={styles.finding}>
        <dt className={styles.tail}>{chain.head}</dt>
        <dd>
          <code className={styles.headHash} translate="no">
            {head.seq} {head.hash}
          </code>
        </dd>
      </div>
    </dl>
  );
}

/** Compares the log with the latest row this browser had verified before this check. */
function Visit({ check, onForget }: { check: Finished; onForget(): void }) {
  const { before, broken, isRemembered } = check;
  const { chain } = texts;
  if (before === null) {
    return (
      <Finding isGood={null} title={chain.visit}>
        {isRemembered || broken !== null ? chain.visitFirst : chain.notStored}
      </Finding>
    );
  }
  const isReached = check.head.seq >= before.seq;
  const isKnownBad = broken?.reason === 'cut' || broken?.reason === 'replaced';
  const says = isKnownBad
    ? broken.reason === 'cut'
      ? chain.visitCut
      : chain.visitReplaced
    : isReached
      ? chain.visitSame
      : chain.visitUnknown;
  return (
    <Finding
      isGood={isReached && !isKnownBad ? true : isKnownBad ? false : null}
      title={chain.visit}
    >
      {says(before.seq)} <Time at={before.at} />.
      {isKnownBad && (
        <Button small kind="quiet" onClick={onForget}>
          {chain.forget}
        </Button>
      )}
    </Finding>
  );
}
