// One entry: its changes, its details, its recomputed hashes, and the row as JSON.
import { GENESIS_HASH, hashedText } from '@keyrail/protocol/wire/audit-chain.ts';
import { useEffect, useState } from 'react';
import { useApi } from '../../api/query.ts';
import type { AuditRow } from '../../parts/audit-log/audit-row.ts';
import { changesOf } from '../../parts/audit-log/changes.ts';
import { Sentence } from '../../parts/audit-log/sentence.tsx';
import { useNames } from '../../parts/audit-log/use-names.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { absoluteTime } from '../../ui/content/spans.ts';
import { State } from '../../ui/content/state.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Copy } from '../../ui/controls/copy.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { Diff } from '../../ui/tables/diff.tsx';
import styles from './audit.module.css';
import type { AuditSearch } from './search.ts';
import { sha256InPage } from './sha256-in-page.ts';
import { texts } from './texts.ts';

type Props = { seq: number; search: AuditSearch };

let closedRow = 0;

/**
 * Returns the number of the row whose sheet was closed since the last call, or 0 if no sheet was
 * closed.
 */
export function takeClosedRow(): number {
  const seq = closedRow;
  closedRow = 0;
  return seq;
}

export function EntrySheet({ seq, search }: Props) {
  const scope = useScope();
  useEffect(
    () => () => {
      closedRow = seq;
    },
    [seq],
  );
  // The previous row is loaded too, so that its hash can be compared with this row's `prev_hash`.
  const after = Math.max(0, seq - 2);
  const rows = useApi('GET /v1/audit_logs', { query: { after_seq: after, limit: 3 } });
  const go = (to: string, replace: boolean) => () =>
    void navigate(to, { search, replaces: replace, keepsScroll: true });
  const close = go(paths.audit(scope), false);
  const found = rows.data?.data ?? [];
  const hasNext = found.some((row) => row.seq > seq);
  const step = (to: number) => go(paths.auditEntry({ ...scope, seq: to }), true);
  return (
    <Sheet
      title={texts.row(seq)}
      onClose={close}
      actions={
        <>
          {seq > 1 && <Button onClick={step(seq - 1)}>{texts.entry.previous}</Button>}
          {hasNext && <Button onClick={step(seq + 1)}>{texts.entry.next}</Button>}
        </>
      }
    >
      <Loaded query={rows} failed={texts.entry.failed} skeleton={<SkeletonRows rows={6} />}>
        {({ data: shown }) => {
          const row = shown.find((one) => one.seq === seq);
          const before = shown.find((one) => one.seq === seq - 1) ?? null;
          return row ? <Entry row={row} before={before} /> : <NoSuchRow seq={seq} />;
        }}
      </Loaded>
    </Sheet>
  );
}

function NoSuchRow({ seq }: { seq: number }) {
  const scope = useScope();
  const action = <LinkButton to={paths.audit(scope)}>{texts.entry.back}</LinkButton>;
  return (
    <Gone title={texts.entry.gone} action={action}>
      {texts.entry.goneText(seq)}
    </Gone>
  );
}

function Entry({ row, before }: { row: AuditRow; before: AuditRow | null }) {
  const names = useNames([row]);
  const changes = changesOf(row.payload, names);
  const raw = JSON.stringify(row, null, 2);
  const { entry } = texts;
  return (
    <>
      <p className={styles.lead}>
        <Sentence row={row} names={names} />
      </p>
      {changes.length > 0 && (
        <section className={styles.part}>
          <h3>{entry.changes}</h3>
          <Diff changes={changes} />
        </section>
      )}
      <section className={styles.part}>
        <h3>{entry.facts}</h3>
        <dl className={styles.facts}>
          <dt>{entry.when}</dt>
          <dd>
            <time dateTime={row.occurred_at}>{absoluteTime(new Date(row.occurred_at))}</time>
          </dd>
          <dt>{entry.action}</dt>
          <dd>
            <code>{row.action}</code>
          </dd>
          <dt>{entry.actor}</dt>
          <dd>
            {row.actor?.email ?? row.actor_type}
            {row.actor_id && <KeyText text={row.actor_id} of={entry.actor} />}
          </dd>
          <dt>{entry.target}</dt>
          <dd>
            <KeyText text={row.target_id} of={entry.target} />
          </dd>
        </dl>
      </section>
      <Hashes row={row} before={before} />
      <section className={styles.part}>
        <h3>
          {entry.raw} <Copy text={raw} label={entry.copyRaw} />
        </h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long lines */}
        <pre className={styles.raw} tabIndex={0} translate="no">
          {raw}
        </pre>
      </section>
    </>
  );
}

/** Recomputes the row's hash, and checks that the row refers to the previous row's hash. */
function Hashes({ row, before }: { row: AuditRow; before: AuditRow | null }) {
  const { workspaceId } = useScope();
  const [derived, setDerived] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    sha256InPage(hashedText(row, workspaceId)).then(
      (hash) => isCurrent && setDerived(hash),
      () => null,
    );
    return () => {
      isCurrent = false;
    };
  }, [row, workspaceId]);
  const { entry } = texts;
  const previous = row.seq === 1 ? GENESIS_HASH : before?.hash;
  return (
    <section className={styles.part}>
      <h3>{entry.hashes}</h3>
      <dl className={styles.hashes}>
        <dt>{entry.prev}</dt>
        <dd>
          <code translate="no">{row.prev_hash}</code>
          <Fit fits={row.prev_hash === previous} good={entry.linked} bad={entry.unlinked} />
        </dd>
        <dt>{entry.own}</dt>
        <dd>
          <code translate="no">{row.hash}</code>
          {derived && <Fit fits={derived === row.hash} good={entry.fits} bad={entry.edited} />}
        </dd>
      </dl>
    </section>
  );
}

const Fit = ({ fits, good, bad }: { fits: boolean; good: string; bad: string }) => (
  <State tone={fits ? 'good' : 'bad'} shape={fits ? 'full' : 'cross'}>
    {fits ? good : bad}
  </State>
);
