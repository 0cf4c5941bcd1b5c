// The audit log entries for a key, newest first, with the changes in each.
import { useList } from '../../api/query.ts';
import { Actor } from '../../parts/audit-log/actor.tsx';
import type { AuditRow, Names } from '../../parts/audit-log/audit-row.ts';
import { changesOf } from '../../parts/audit-log/changes.ts';
import { useNames } from '../../parts/audit-log/use-names.ts';
import type { ApiKey } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { paths } from '../../paths.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { Diff } from '../../ui/tables/diff.tsx';
import styles from './key.module.css';

const ROWS = 50;

export function History({ of: key }: { of: ApiKey }) {
  const rows = useList('GET /v1/audit_logs', {
    query: { target_id: key.id, order: 'desc', limit: ROWS },
  });
  return (
    <Loaded query={asQuery(rows)} failed={texts.history.failed}>
      {(pages) =>
        pages.flat().length === 0 ? (
          <Empty icon="audit" title={texts.history.empty}>
            {texts.history.emptyText}
          </Empty>
        ) : (
          <>
            <ol className={styles.history} aria-label={texts.history.list}>
              {pages.map((page) => (
                <HistoryRows key={page[0]?.seq} rows={page} />
              ))}
            </ol>
            {rows.hasMore && (
              <Button kind="quiet" busy={rows.isLoadingMore} onClick={rows.loadMore}>
                {en.showMore}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  );
}

/** One page of audit log rows. Loads the names of the objects mentioned in the rows. */
function HistoryRows({ rows }: { rows: readonly AuditRow[] }) {
  const names = useNames(rows);
  return rows.map((row) => <HistoryRow key={row.seq} row={row} names={names} />);
}

function HistoryRow({ row, names }: { row: AuditRow; names: Names }) {
  const scope = useScope();
  const { history } = texts;
  const { payload } = row;
  const changes = changesOf(payload, names);
  return (
    <li>
      <div className={styles.sentence}>
        <p>
          <Actor row={row} names={names} /> {history.actions[row.action] ?? row.action}
          {typeof payload.overlap_hours === 'number' &&
            `, ${history.overlap(payload.overlap_hours)}`}
          {typeof payload.reason === 'string' && `. ${history.reason(payload.reason)}`}
        </p>
        <p className={styles.quiet}>
          <Time at={row.occurred_at} />
          {' · '}
          <Link to={paths.auditEntry({ ...scope, seq: row.seq })}>{history.row(row.seq)}</Link>
        </p>
      </div>
      {typeof payload.successor_id === 'string' && (
        <p>
          <Link to={paths.key({ ...scope, keyId: payload.successor_id })}>{history.successor}</Link>
        </p>
      )}
      {changes.length > 0 && <Diff changes={changes} />}
    </li>
  );
}
