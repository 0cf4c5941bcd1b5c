// A key's rotations: the keys before and after it, and how long they overlap.
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { useSuccessorId } from '../../parts/audit-log/use-successor-id.ts';
import type { ApiKey } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { durationText } from '../../ui/content/spans.ts';
import { Time, useNow } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import styles from './key.module.css';

/**
 * The maximum number of keys to show in each direction, earlier and later. Each key is loaded with
 * a separate request.
 */
const STEPS_MAX = 5;

export function Lineage({ of: key }: { of: ApiKey }) {
  const successorId = useSuccessorId('api_key', key.id);
  if (key.rotated_from === null && successorId === null) {
    return <p className={styles.quiet}>{texts.lineage.none}</p>;
  }
  return (
    <ol className={styles.lineage}>
      {successorId !== null && <After id={successorId} before={key} steps={1} />}
      <Line of={key} isCurrent />
      {key.rotated_from !== null && <Before id={key.rotated_from} after={key} steps={1} />}
    </ol>
  );
}

/** The new key, followed by the keys that later replaced it, one after another. */
function After({ id, before, steps }: { id: string; before: ApiKey; steps: number }) {
  const read = useApi('GET /v1/keys/{id}', { params: { id } });
  const nextId = useSuccessorId('api_key', id);
  if (!read.data) return null;
  return (
    <>
      {nextId !== null && steps < STEPS_MAX && (
        <After id={nextId} before={read.data} steps={steps + 1} />
      )}
      <Line of={read.data} note={overlapText(before, read.data)} />
    </>
  );
}

function Before({ id, after, steps }: { id: string; after: ApiKey; steps: number }) {
  const read = useApi('GET /v1/keys/{id}', { params: { id } });
  if (!read.data) return null;
  const { rotated_from } = read.data;
  return (
    <>
      <Line of={read.data} note={overlapText(read.data, after)} />
      {rotated_from !== null && steps < STEPS_MAX && (
        <Before id={rotated_from} after={read.data} steps={steps + 1} />
      )}
      {rotated_from !== null && steps === STEPS_MAX && <li>{texts.lineage.more}</li>}
    </>
  );
}

const endOf = ({ revoked_at, expires_at }: ApiKey): string | null => revoked_at ?? expires_at;

function overlapText(old: ApiKey, successor: ApiKey): string | null {
  const end = endOf(old);
  if (end === null) return null;
  const ms = Date.parse(end) - Date.parse(successor.created_at);
  return ms < 1000 ? texts.lineage.noOverlap : texts.lineage.overlap(durationText(ms));
}

type LineProps = { of: ApiKey; isCurrent?: boolean; note?: ReactNode };

function Line({ of: key, isCurrent = false, note }: LineProps) {
  const scope = useScope();
  const { lineage } = texts;
  const now = useNow();
  const end = endOf(key);
  const isOver = end !== null && Date.parse(end) <= now;
  const ended = key.revoked_at !== null ? 'revoked' : isOver ? 'expired' : 'expires';
  const prefix = <code>{key.display_prefix}…</code>;
  return (
    <li aria-current={isCurrent || undefined}>
      <p>
        {isCurrent ? prefix : <Link to={paths.key({ ...scope, keyId: key.id })}>{prefix}</Link>}
        {isCurrent && <span className={styles.tag}>{lineage.current}</span>}
      </p>
      <p className={styles.quiet}>
        {lineage.created} <Time at={key.created_at} />
        {end !== null && (
          <>
            , {lineage[ended]} <Time at={end} />
          </>
        )}
        {note && <>. {note}</>}
      </p>
    </li>
  );
}
