// Lets the user choose which events an endpoint receives: all of them, whole groups, or single
// events.
import { useId, useState } from 'react';
import { Segments } from '../../ui/controls/segments.tsx';
import { Checkbox } from '../../ui/controls/toggle.tsx';
import { eventGroups, eventTexts } from './events.ts';
import { texts } from './texts.ts';
import styles from './webhooks.module.css';

const ALL = '*';

const { events: words } = texts.form;

type Props = {
  events: readonly string[];
  error: string | undefined;
  onEvents(events: readonly string[]): void;
};

export function EventPicker({ events, error, onEvents }: Props) {
  const isAll = events.includes(ALL);
  const [picked, setPicked] = useState(isAll ? [] : events);
  const pick = (next: readonly string[]) => {
    setPicked(next);
    onEvents(next);
  };
  return (
    <div className={styles.picker}>
      <Segments
        label={words.label}
        value={isAll ? 'all' : 'some'}
        options={words.kinds}
        onValue={(kind) => onEvents(kind === 'all' ? [ALL] : picked)}
      />
      {!isAll && (
        <div className={styles.groups}>
          {eventGroups.map((group) => (
            <Group key={group.filter} group={group} picked={picked} onPick={pick} />
          ))}
        </div>
      )}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

type GroupProps = {
  group: (typeof eventGroups)[number];
  picked: readonly string[];
  onPick(picked: readonly string[]): void;
};

function Group({ group: { filter, name, types }, picked, onPick }: GroupProps) {
  const id = useId();
  const own = picked.filter((one) => one === filter || types.some((type) => type === one));
  const others = picked.filter((one) => !own.includes(one));
  const isWhole = own.includes(filter);
  const [isOpen] = useState(own.length > 0);
  return (
    <details className={styles.group} open={isOpen}>
      <summary>
        <span id={id}>{name}</span>
        <span className={styles.count}>{isWhole ? words.whole : words.count(own.length)}</span>
      </summary>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be named by a summary */}
      <div role="group" aria-labelledby={id} className={styles.choices}>
        <Checkbox
          label={words.all}
          hint={words.allHint(filter)}
          checked={isWhole}
          onChecked={(isOn) => onPick(isOn ? [...others, filter] : others)}
        />
        {types.map((type) => (
          <Checkbox
            key={type}
            label={<code translate="no">{type}</code>}
            hint={eventTexts[type]}
            checked={isWhole || own.includes(type)}
            disabled={isWhole}
            onChecked={(isOn) =>
              onPick(isOn ? [...picked, type] : picked.filter((one) => one !== type))
            }
          />
        ))}
      </div>
    </details>
  );
}
