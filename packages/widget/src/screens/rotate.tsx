// Rotates a key. Shows how long both keys will work, as text and as two bars.
import type { Answer } from '@keyrail/client';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { endAfterRotationMs } from '@keyrail/protocol/wire/key-states.ts';
import { OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { type ApiKey, nameOf } from '../core/api-key.ts';
import { momentText } from '../core/times.ts';
import { useChange } from '../core/use-change.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemBox } from '../ui/problem.tsx';

export type RotatedKey = Answer<'POST /v1/embed/keys/{id}/rotate'>;

const DAY_HOURS = 24;
const OVERLAPS = [0, 1, DAY_HOURS, 3 * DAY_HOURS, OVERLAP_HOURS_MAX];

type Props = { of: ApiKey; onRotated(key: RotatedKey): void; onClose(): void; onLook(): void };

export function Rotate({ of: key, onRotated, onClose, onLook }: Props) {
  const { words } = useWidget();
  const [hours, setHours] = useState(OVERLAP_HOURS_DEFAULT);
  const { isBusy, problem, run } = useChange('rotate', onRotated);
  const submit = () =>
    run((client, signal) =>
      client.call('POST /v1/embed/keys/{id}/rotate', {
        params: { id: key.id },
        body: { overlap_hours: hours },
        signal,
      }),
    );
  return (
    <Dialog
      title={words['rotate.title'](nameOf(key, words))}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{words['action.cancel']}</Button>
          <Button type="submit" kind="primary" busy={isBusy}>
            {words['rotate.submit']}
          </Button>
        </>
      }
    >
      <p>{words['rotate.text']}</p>
      <OverlapField hours={hours} onHours={setHours} />
      <Overlap of={key} hours={hours} />
      {problem && (
        <ProblemBox of={problem}>
          {problem.isUnknown && <Button onClick={onLook}>{words['action.look']}</Button>}
        </ProblemBox>
      )}
    </Dialog>
  );
}

function OverlapField({ hours, onHours }: { hours: number; onHours(hours: number): void }) {
  const { words } = useWidget();
  const label = (count: number) => {
    if (count === 0) return words['rotate.now'];
    const days = count / DAY_HOURS;
    return days > 1 ? words['rotate.days'](days) : words['rotate.hours'](count);
  };
  return (
    <fieldset class="field">
      <legend>{words['rotate.overlap']}</legend>
      <div class="choices">
        {OVERLAPS.map((count) => (
          <label key={count} class="choice">
            <input
              type="radio"
              name="overlap"
              data-first={count === hours || undefined}
              checked={count === hours}
              onChange={() => onHours(count)}
            />
            <span>{label(count)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/**
 * Shows the overlap. If the old key's own expiry is earlier than the end of the overlap, the
 * overlap ends then.
 */
function Overlap({ of: { expires_at }, hours }: { of: ApiKey; hours: number }) {
  const { words } = useWidget();
  const now = nowMs();
  const endMs = endAfterRotationMs(expires_at, now + hours * HOUR_MS);
  const until = momentText(new Date(endMs).toISOString(), words, now);
  const isNow = hours === 0;
  return (
    <figure class={isNow ? 'overlap now' : 'overlap'}>
      <div aria-hidden="true">
        <span>{words['rotate.old']}</span>
        <i class="old" />
        <span>{words['rotate.new']}</span>
        <i class="new" />
      </div>
      <figcaption>{isNow ? words['rotate.until_now'] : words['rotate.until'](until)}</figcaption>
    </figure>
  );
}
