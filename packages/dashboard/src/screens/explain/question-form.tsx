// The form for the request to explain: a key, and what the route requires.
import { type Env, envs } from '@keyrail/protocol/wire/env.ts';
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { type RefObject, useState } from 'react';
import { useApi, useList } from '../../api/query.ts';
import { useScope } from '../../shell/scope.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { DateTime } from '../../ui/controls/date-time.tsx';
import { type ControlProps, Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { Scopes } from '../../ui/controls/scopes.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { reasonOf } from '../../ui/feedback/problem.tsx';
import styles from './explain.module.css';
import { texts } from './texts.ts';

export type Asking = {
  /** The ID of the chosen key, or null if a key was pasted. */
  keyId: string | null;
  scopes: readonly string[];
  env: 'any' | Env;
  at: string | null;
};

type Props = {
  asking: Asking;
  /** The input field for a pasted key, which is stored nowhere else. */
  input: RefObject<HTMLInputElement | null>;
  busy: boolean;
  onChange(changes: Partial<Asking>): void;
  onAsk(changes?: Partial<Asking>): void;
};

const ENVS = ['any', ...envs] as const;
const CHOICES_MAX = 20;

export function QuestionForm({ asking, input, busy, onChange, onAsk }: Props) {
  const [isMissing, setMissing] = useState(false);
  const submit = () => {
    const isReady = asking.keyId !== null || input.current?.value !== '';
    setMissing(!isReady);
    if (isReady) onAsk();
    else input.current?.focus();
  };
  const paste = () => {
    setMissing(false);
    if (asking.keyId !== null) onChange({ keyId: null });
  };
  return (
    <Form className={styles.form} aria-label={texts.question} onSubmit={submit}>
      <Field label={texts.key} hint={texts.keyHint} error={isMissing ? texts.askFirst : null}>
        {(control) => (
          <Input
            {...control}
            mono
            ref={input}
            autoCapitalize="off"
            placeholder={texts.keyPlaceholder}
            data-private
            onChange={paste}
          />
        )}
      </Field>
      <Field label={texts.pick}>
        {(control) => (
          <PickKey
            key={asking.keyId}
            control={control}
            keyId={asking.keyId}
            onKeyId={(keyId) => onChange({ keyId })}
          />
        )}
      </Field>
      <Field label={texts.scopes} optional>
        {(control) => (
          <Scopes
            control={control}
            scopes={asking.scopes}
            placeholder={texts.scopesPlaceholder}
            onScopes={(scopes) => onChange({ scopes })}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label={texts.env}>
          {(control) => (
            <Select
              {...control}
              value={asking.env}
              options={texts.envs}
              onValue={(env) => onChange({ env: ENVS.find((one) => one === env) ?? 'any' })}
            />
          )}
        </Field>
        <Field label={texts.at} optional hint={texts.atHint}>
          {(control) => (
            <DateTime control={control} value={asking.at} onValue={(at) => onChange({ at })} />
          )}
        </Field>
      </div>
      <div className={styles.ask}>
        <Button type="submit" kind="primary" icon="explain" busy={busy}>
          {texts.ask}
        </Button>
      </div>
    </Form>
  );
}

type PickProps = {
  control: ControlProps;
  keyId: string | null;
  onKeyId(keyId: string): void;
};

/** Finds keys by name, prefix, ID or tenant. Keys in the page's environment come first. */
function PickKey({ control, keyId, onKeyId }: PickProps) {
  const { env } = useScope();
  const [typed, setTyped] = useState<string | null>(null);
  const chosen = useApi(
    'GET /v1/keys/{id}',
    { params: { id: keyId ?? '' } },
    { enabled: keyId !== null },
  );
  const q = withoutSecrets(typed?.trim() ?? '');
  const keys = useList('GET /v1/keys', {
    query: { env, limit: CHOICES_MAX, include_revoked: true, ...(q !== '' && { q }) },
  });
  const options = keys.pages?.flat().map((key) => ({
    value: key.id,
    label: nameOf(key),
    note: key.display_prefix,
  }));
  const shown = chosen.data ? nameOf(chosen.data) : chosen.error ? texts.goneKey : '';
  return (
    <Combobox
      control={control}
      text={typed ?? shown}
      placeholder={texts.pickPlaceholder}
      options={options ?? null}
      hasMore={keys.hasMore}
      failed={keys.error && reasonOf(keys.error)}
      none={texts.noKeys}
      onText={setTyped}
      onChoose={({ value }) => onKeyId(value)}
    />
  );
}

const nameOf = ({ name }: { name: string | null }): string => name ?? texts.unnamed;
