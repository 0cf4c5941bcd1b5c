// The JSON metadata stored with the key. It is validated as the user types.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import type { ApiKey } from '../../parts/key/key.ts';
import { parseMeta } from '../../parts/key/parse-meta.ts';
import { texts } from '../../parts/key/texts.ts';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Copy } from '../../ui/controls/copy.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Textarea } from '../../ui/controls/input.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { fieldErrors, Problem } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import styles from './key.module.css';

export function Meta({ of: key }: { of: ApiKey }) {
  const { mayChange } = useScope();
  const [isEditing, setEditing] = useState(false);
  const json = JSON.stringify(key.meta, null, 2);
  const edit = mayChange && key.revoked_at === null && (
    <Button icon="edit" onClick={() => setEditing(true)}>
      {texts.meta.edit}
    </Button>
  );
  if (isEditing) return <MetaForm of={key} json={json} onClose={() => setEditing(false)} />;
  if (Object.keys(key.meta).length === 0) {
    return (
      <Empty icon="embed" title={texts.meta.none} action={edit} isList={false}>
        {texts.meta.noneText}
      </Empty>
    );
  }
  return (
    <section className={styles.meta}>
      <p className={styles.quiet}>{texts.meta.lead}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long lines */}
      <pre tabIndex={0} className={styles.json}>
        {json}
      </pre>
      <div className={styles.buttons}>
        {edit}
        <Copy text={json} label={texts.meta.copy} labelled />
      </div>
    </section>
  );
}

type FormProps = { of: ApiKey; json: string; onClose(): void };

function MetaForm({ of: key, json, onClose }: FormProps) {
  const [text, setText] = useState(json);
  const change = useChange('PATCH /v1/keys/{id}', { refreshes: ['/v1/keys', '/v1/audit_logs'] });
  const read = parseMeta(text);
  const refused = fieldErrors(change.error);
  const error = 'fault' in read ? read.fault : (Object.values(refused)[0] ?? null);
  const save = () => {
    if ('fault' in read) return;
    change.mutate(
      { params: { id: key.id }, body: { meta: read.meta } },
      thenClose(onClose, texts.meta.saved),
    );
  };
  return (
    <Form className={styles.meta} onSubmit={save}>
      <Field label={texts.meta.label} error={error} hint={texts.meta.lead}>
        {(control) => (
          <Textarea
            {...control}
            mono
            autoFocus
            rows={14}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {change.error && error === null && <Problem error={change.error} />}
      <div className={styles.buttons}>
        <Button
          type="submit"
          kind="primary"
          busy={change.isPending}
          because={'fault' in read ? read.fault : null}
        >
          {texts.meta.save}
        </Button>
        <Button onClick={onClose}>{en.cancel}</Button>
      </div>
    </Form>
  );
}
