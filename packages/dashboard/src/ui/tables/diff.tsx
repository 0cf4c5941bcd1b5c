// Shows the old and new values of changed fields. For lists, it shows which items were added and
// removed.
import { later } from '../../texts/later.ts';
import styles from './diff.module.css';

export type FieldChange =
  | { field: string; from: unknown; to: unknown }
  | { field: string; added: readonly string[]; removed: readonly string[] }
  /** A field that changed, but whose values aren't in the log. */
  | { field: string };

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? later.diff.none
    : typeof value === 'string'
      ? value
      : isTexts(value)
        ? value.join(', ')
        : JSON.stringify(value);

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

export const Diff = ({ changes }: { changes: readonly FieldChange[] }) => (
  <dl className={styles.diff}>
    {changes.map((change) => (
      <div key={change.field} className={styles.line}>
        <dt>{change.field}</dt>
        <Values change={change} />
      </div>
    ))}
  </dl>
);

function Values({ change }: { change: FieldChange }) {
  if ('from' in change) {
    return (
      <dd>
        <del>{shown(change.from)}</del>
        <span className="unseen">{later.diff.becomes}</span>
        <ins>{shown(change.to)}</ins>
      </dd>
    );
  }
  if ('added' in change) {
    return (
      <dd>
        {change.removed.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two projects can have the same name
          <del key={at}>{one}</del>
        ))}
        {change.added.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two projects can have the same name
          <ins key={at}>{one}</ins>
        ))}
      </dd>
    );
  }
  return <dd className={styles.quiet}>{later.diff.changed}</dd>;
}
