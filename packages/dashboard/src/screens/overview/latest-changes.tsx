// The last five entries of the audit log.
import { useApi } from '../../api/query.ts';
import type { AuditRow } from '../../parts/audit-log/audit-row.ts';
import { Sentence } from '../../parts/audit-log/sentence.tsx';
import { useNames } from '../../parts/audit-log/use-names.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';

const SHOWN = 5;

export function LatestChanges({ everyMs }: { everyMs: number }) {
  const scope = useScope();
  const query = { order: 'desc', limit: SHOWN } as const;
  const entries = useApi('GET /v1/audit_logs', { query }, { everyMs });
  const aside = <Link to={paths.audit(scope)}>{texts.allAudit}</Link>;
  return (
    <Card title={texts.audit} aside={aside}>
      <Loaded query={entries} failed={texts.failed.audit} skeleton={<SkeletonRows rows={SHOWN} />}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p className={styles.none}>{texts.noAudit}</p>
          ) : (
            <Entries rows={rows} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Entries({ rows }: { rows: readonly AuditRow[] }) {
  const scope = useScope();
  const names = useNames(rows);
  return (
    <ol className={styles.entries}>
      {rows.map((row) => (
        <li key={row.seq} className={styles.entry}>
          <Link className={styles.seq} to={paths.auditEntry({ ...scope, seq: row.seq })}>
            {row.seq}
          </Link>
          <Sentence row={row} names={names} />
          <Time at={row.occurred_at} />
        </li>
      ))}
    </ol>
  );
}
