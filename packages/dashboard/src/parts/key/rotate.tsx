// Rotates a key. Two bars on a timeline show when each of the two keys works.

import {
  OVERLAP_HOURS_DEFAULT,
  OVERLAP_HOURS_MAX,
  OVERLAP_HOURS_MIN,
} from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { useScope } from '../../shell/scope.ts';
import { momentText } from '../../ui/content/spans.ts';
import { Segments } from '../../ui/controls/segments.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { ImpactOf } from '../../ui/feedback/impact-facts.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { type ApiKey, nameOf } from './key.ts';
import { Overlap } from './overlap.tsx';
import { keySnippets } from './snippets.ts';
import { texts } from './texts.ts';

const OTHER = 'other';
const choices = [
  ...Object.entries(texts.rotate.overlaps).map(([value, label]) => ({ value, label })),
  { value: OTHER, label: texts.rotate.other },
];

export function RotateKey({ of: key, onClose }: { of: ApiKey; onClose(): void }) {
  const scope = useScope();
  const [choice, setChoice] = useState(String(OVERLAP_HOURS_DEFAULT));
  const [typed, setTyped] = useState('12');
  const rotate = useChange('POST /v1/keys/{id}/rotate', {
    refreshes: ['/v1/keys', '/v1/audit_logs'],
  });
  const impact = useImpact('POST /v1/keys/{id}/rotate', { params: { id: key.id } });
  const hours = Number(choice === OTHER ? typed : choice);
  const isValid =
    Number.isInteger(hours) && hours >= OVERLAP_HOURS_MIN && hours <= OVERLAP_HOURS_MAX;
  const submit = () => {
    rotate.mutate(
      { params: { id: key.id }, body: { overlap_hours: hours } },
      {
        onSuccess: (made) => {
          const { expires_at } = made.previous_key;
          const isOver = expires_at === null || Date.parse(expires_at) <= nowMs();
          onClose();
          if (made.key === undefined) return toast(texts.rotate.lost);
          showSecret({
            title: texts.rotate.revealTitle(made.env, nameOf(made)),
            value: made.key,
            note: (
              <p>
                {isOver
                  ? texts.rotate.untilNow
                  : texts.rotate.until(momentText(new Date(expires_at), nowMs()))}
              </p>
            ),
            snippets: keySnippets(made.key),
            onStored: () => void navigate(paths.key({ ...scope, keyId: made.id })),
          });
        },
      },
    );
  };
  const error = isValid ? fieldErrors(rotate.error).overlap_hours : texts.rotate.hours;
  return (
    <FormDialog
      kind="wide"
      title={texts.rotate.title(nameOf(key))}
      action={texts.rotate.action(key.env)}
      because={isValid ? null : texts.rotate.hours}
      change={rotate}
      onSubmit={submit}
      onClose={onClose}
    >
      <ImpactOf query={impact} />
      <Segments label={texts.rotate.overlap} value={choice} options={choices} onValue={setChoice} />
      {choice === OTHER && (
        <TextField
          label={texts.rotate.hours}
          error={error}
          type="number"
          min={OVERLAP_HOURS_MIN}
          max={OVERLAP_HOURS_MAX}
          value={typed}
          onValue={setTyped}
        />
      )}
      <Overlap hours={isValid ? hours : 0} expiresAt={key.expires_at} />
      <p>{texts.rotate.carries}</p>
    </FormDialog>
  );
}
