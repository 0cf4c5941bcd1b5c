// The last five entries of the audit log.
import type { Item } from '@keyrail/client';
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/card.tsx';
import { Link } from '../../ui/link.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';

type Entry = Item<'GET /v1/audit_logs'>;

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
            <ol className={styles.entries}>
              {rows.map((entry) => (
                <EntryLine key={entry.seq} entry={entry} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function EntryLine({ entry }: { entry: Entry }) {
  const scope = useScope();
  return (
    <li className={styles.entry}>
      <span className={styles.seq}>{entry.seq}</span>
      <span className={styles.action}>
        <Link to={paths.auditEntry(scope, entry.seq)}>{actionText(entry.action)}</Link>
        <NameOf payload={entry.payload} />
      </span>
      <span className={styles.actor}>{actorText(entry)}</span>
      <Time at={entry.occurred_at} />
    </li>
  );
}

const WORDS: Readonly<Record<string, string>> = { api: 'API' };

/** `api_key.revoked` becomes "API key revoked". */
function actionText(action: string): string {
  const words = action.split(/[._]/).map((word) => WORDS[word] ?? word);
  const text = words.join(' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function NameOf({ payload }: { payload: Entry['payload'] }) {
  const name = payload.name ?? payload.external_id ?? payload.display_prefix;
  return typeof name === 'string' ? <span className={styles.name}>{name}</span> : null;
}

const actorText = ({ actor, actor_type }: Entry): string =>
  actor ? (actor.name ?? actor.email) : actor_type.replace('_', ' ');
