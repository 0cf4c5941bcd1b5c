// Creates a key with a name and scopes. The token determines the available scopes, and the vendor
// can give them readable names.
import type { Answer } from '@keyrail/client';
import { NAME_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useId, useState } from 'preact/hooks';
import { grantsOf } from '../core/session.ts';
import { useChange } from '../core/use-change.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemBox } from '../ui/problem.tsx';

export type CreatedKey = Answer<'POST /v1/embed/keys'>;

type Props = { onCreated(key: CreatedKey): void; onClose(): void; onLook(): void };

export function Create({ onCreated, onClose, onLook }: Props) {
  const { words, session } = useWidget();
  const [name, setName] = useState('');
  const grants = grantsOf(session);
  // If there is only one scope, it is preselected.
  const [scopes, setScopes] = useState<readonly string[]>(grants.length === 1 ? grants : []);
  const [isTried, setTried] = useState(false);
  const isMissing = grants.length > 0 && scopes.length === 0;
  const { isBusy, problem, run } = useChange('create', onCreated);
  const submit = () => {
    setTried(true);
    if (isMissing) return;
    const typed = name.trim();
    const body = typed === '' ? { scopes: [...scopes] } : { name: typed, scopes: [...scopes] };
    run((client, signal) => client.call('POST /v1/embed/keys', { body, signal }));
  };
  return (
    <Dialog
      title={words['create.title']}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{words['action.cancel']}</Button>
          <Button type="submit" kind="primary" busy={isBusy}>
            {words['create.submit']}
          </Button>
        </>
      }
    >
      <NameField name={name} onName={setName} />
      {grants.length > 0 && (
        <ScopesField
          grants={grants}
          chosen={scopes}
          onChosen={setScopes}
          isMissing={isTried && isMissing}
        />
      )}
      {problem && (
        <ProblemBox of={problem}>
          {problem.isUnknown && <Button onClick={onLook}>{words['action.look']}</Button>}
        </ProblemBox>
      )}
    </Dialog>
  );
}

function NameField({ name, onName }: { name: string; onName(name: string): void }) {
  const { words } = useWidget();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{words['create.name']}</label>
      <input
        id={id}
        part="input"
        class="input"
        type="text"
        autocomplete="off"
        data-first
        maxLength={NAME_CHARS_MAX}
        aria-describedby={`${id}-hint`}
        value={name}
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <p id={`${id}-hint`} class="hint">
        {words['create.name_hint']}
      </p>
    </div>
  );
}

type ScopesProps = {
  grants: readonly string[];
  chosen: readonly string[];
  onChosen(scopes: readonly string[]): void;
  isMissing: boolean;
};

function ScopesField({ grants, chosen, onChosen, isMissing }: ScopesProps) {
  const { words } = useWidget();
  const id = useId();
  const toggle = (scope: string, isChosen: boolean) =>
    onChosen(grants.filter((one) => (one === scope ? isChosen : chosen.includes(one))));
  return (
    <fieldset class="field" aria-describedby={isMissing ? id : undefined}>
      <legend>{words['create.scopes']}</legend>
      <div class="choices">
        {grants.map((scope) => (
          <label key={scope} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ currentTarget }) => toggle(scope, currentTarget.checked)}
            />
            <span>
              {words.scopes[scope] ?? scope}
              {words.scopes[scope] !== undefined && <code>{scope}</code>}
            </span>
          </label>
        ))}
      </div>
      {isMissing && (
        <p id={id} class="hint fault" role="alert">
          {words['create.scopes_missing']}
        </p>
      )}
    </fieldset>
  );
}
