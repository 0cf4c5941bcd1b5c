// Adds or edits an endpoint. A new endpoint's signing secret is shown once.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { hostOf, STALE, type WebhookEndpoint } from './endpoint.ts';
import { EventPicker } from './event-picker.tsx';
import { texts } from './texts.ts';

const { form } = texts;

type EnvChoice = (typeof texts.envs)[number]['value'];

export function showSigningSecret(made: { url: string; secret?: string | undefined }) {
  if (made.secret === undefined) return toast(texts.lost);
  showSecret({
    title: texts.secret(hostOf(made)),
    value: made.secret,
    copyLabel: texts.copy,
    snippets: [{ name: 'Environment', code: `KEYRAIL_WEBHOOK_SECRET=${made.secret}` }],
  });
}

type Props = {
  /** Null when adding an endpoint. */
  endpoint: WebhookEndpoint | null;
  onClose(): void;
};

export function EndpointForm({ endpoint, onClose }: Props) {
  const create = useChange('POST /v1/webhook_endpoints', { refreshes: STALE });
  const update = useChange('PATCH /v1/webhook_endpoints/{id}', { refreshes: STALE });
  const change = endpoint ? update : create;
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? ['*']);
  const [env, setEnv] = useState<EnvChoice>(endpoint?.env ?? 'both');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const errors = fieldErrors(change.error);
  const submit = () => {
    const about = description.trim();
    const body = {
      url: url.trim(),
      events: [...events],
      env: env === 'both' ? null : env,
      description: about === '' ? null : about,
    };
    if (endpoint) {
      return update.mutate({ params: { id: endpoint.id }, body }, { onSuccess: onClose });
    }
    create.mutate(
      { body },
      {
        onSuccess: (made) => {
          onClose();
          showSigningSecret(made);
        },
      },
    );
  };
  return (
    <FormDialog
      kind="wide"
      title={endpoint ? hostOf(endpoint) : texts.create}
      action={endpoint ? form.save : texts.create}
      because={events.length === 0 ? form.noEvents : null}
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={form.url}
        hint={form.urlHint}
        error={errors.url}
        autoFocus
        type="url"
        placeholder={form.urlPlaceholder}
        value={url}
        onValue={setUrl}
      />
      <EventPicker events={events} error={errors.events} onEvents={setEvents} />
      <Field label={form.env} error={errors.env}>
        {(control) => (
          <Select<EnvChoice> {...control} value={env} options={texts.envs} onValue={setEnv} />
        )}
      </Field>
      <TextField
        label={form.description}
        error={errors.description}
        optional
        value={description}
        onValue={setDescription}
      />
    </FormDialog>
  );
}
