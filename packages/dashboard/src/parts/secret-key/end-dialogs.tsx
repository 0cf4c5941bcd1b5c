// Dialogs that rotate or revoke a secret key, after showing the impact.
import {
  OVERLAP_HOURS_DEFAULT,
  OVERLAP_HOURS_MAX,
  OVERLAP_HOURS_MIN,
} from '@keyrail/protocol/wire/limits.ts';
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange } from '../../api/query.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { thenClose, toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { SecretImpact } from './secret-impact.tsx';
import { nameOf, type SecretKey, STALE } from './secret-key.ts';
import { snippetsOf } from './snippets.ts';
import { texts } from './texts.ts';

type Props = { secretKey: SecretKey; onClose(): void };

const OVERLAPS = [OVERLAP_HOURS_MIN, 1, OVERLAP_HOURS_DEFAULT, 72, OVERLAP_HOURS_MAX];

export function RotateDialog({ secretKey, onClose }: Props) {
  const { rotating } = texts;
  const params = { id: secretKey.id };
  const impact = useImpact('POST /v1/secret_keys/{id}/rotate', { params });
  const rotate = useChange('POST /v1/secret_keys/{id}/rotate', { refreshes: STALE });
  const [overlap, setOverlap] = useState(String(OVERLAP_HOURS_DEFAULT));
  const confirm = () =>
    rotate.mutate(
      { params, body: { overlap_hours: Number(overlap) } },
      {
        onSuccess: (made) => {
          onClose();
          if (made.key === undefined) return toast(texts.lost);
          showSecret({
            title: texts.created(nameOf(made)),
            value: made.key,
            copyLabel: texts.copy,
            note: <OldKey until={overlap === '0' ? null : made.previous_key.expires_at} />,
            snippets: snippetsOf(made.key),
          });
        },
      },
    );
  return (
    <Confirm
      title={rotating.title(nameOf(secretKey))}
      action={rotating.action(secretKey.env)}
      danger={false}
      change={rotate}
      onConfirm={confirm}
      onClose={onClose}
    >
      <KeyText text={secretKey.display_prefix} />
      <p>{rotating.text}</p>
      <SecretImpact impact={impact} nodes={texts.impact.nodesRotated} />
      <Field label={rotating.overlap}>
        {(control) => (
          <Select
            {...control}
            value={overlap}
            options={OVERLAPS.map((hours) => ({
              value: String(hours),
              label: rotating.hours(hours),
            }))}
            onValue={setOverlap}
          />
        )}
      </Field>
    </Confirm>
  );
}

const OldKey = ({ until }: { until: string | null }) =>
  until === null ? (
    <p>{texts.rotating.now}</p>
  ) : (
    <p>
      {texts.rotating.until} <Time at={until} />.
    </p>
  );

export function RevokeDialog({ secretKey, onClose }: Props) {
  const { revoking } = texts;
  const params = { id: secretKey.id };
  const impact = useImpact('POST /v1/secret_keys/{id}/revoke', { params });
  const revoke = useChange('POST /v1/secret_keys/{id}/revoke', { refreshes: STALE });
  const [reason, setReason] = useState('');
  const confirm = () => {
    const given = reason.trim();
    revoke.mutate(
      { params, body: given === '' ? {} : { reason: given } },
      thenClose(onClose, revoking.done(nameOf(secretKey))),
    );
  };
  return (
    <Confirm
      title={revoking.title(nameOf(secretKey))}
      action={revoking.action(secretKey.env)}
      change={revoke}
      onConfirm={confirm}
      onClose={onClose}
    >
      <KeyText text={secretKey.display_prefix} />
      <SecretImpact impact={impact} nodes={texts.impact.nodes} />
      <p>{revoking.text}</p>
      <TextField
        label={revoking.reason}
        optional
        placeholder={revoking.reasonPlaceholder}
        value={reason}
        onValue={setReason}
      />
    </Confirm>
  );
}
