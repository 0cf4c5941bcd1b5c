// A form with three prefilled fields and one button.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefresh, useSend } from '../../api/query.ts';
import { showSecret } from '../../shell/reveal.tsx';
import { useScope } from '../../shell/scope.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { snippetsOf } from './command.ts';
import { createFirst, createNodeKey, type Names } from './create-first.ts';
import { heldNodeKey, holdNodeKey } from './node-key.ts';
import styles from './start.module.css';
import { texts } from './texts.ts';

const fields = ['project', 'tenant', 'key'] as const satisfies readonly (keyof Names)[];

const given: Names = {
  project: texts.setUp.projectGiven,
  tenant: texts.setUp.tenantGiven,
  key: texts.setUp.keyGiven,
};

export function SetUp({ onCreated }: { onCreated?: () => void }) {
  const send = useSend();
  const refresh = useRefresh();
  const [names, setNames] = useState(given);
  const { workspaceId } = useScope();
  const isEmpty = (field: keyof Names) => names[field].trim() === '';
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const secretKey = heldNodeKey(workspaceId) ?? (await createNodeKey(send));
      // Keep the secret key, so that a retry after a failed request doesn't create another one.
      holdNodeKey(workspaceId, secretKey);
      show(await createFirst(send, trimmed(names)), secretKey);
      onCreated?.();
    },
    onSettled: () =>
      void refresh('/v1/workspace', '/v1/keys', '/v1/projects', '/v1/tenants', '/v1/secret_keys'),
  });
  const submit = () => {
    if (!isPending && !fields.some(isEmpty)) mutate();
  };
  return (
    <Form className={styles.form} onSubmit={submit}>
      {fields.map((field) => (
        <TextField
          key={field}
          label={texts.setUp[field]}
          error={isEmpty(field) ? texts.setUp.empty : null}
          name={field}
          value={names[field]}
          onValue={(value) => setNames({ ...names, [field]: value })}
        />
      ))}
      <p className={styles.quiet}>{texts.setUp.nodeKey}</p>
      <div className={styles.submit}>
        <Button type="submit" kind="primary" busy={isPending}>
          {texts.setUp.action}
        </Button>
      </div>
      {error && <Problem title={texts.setUp.failed} error={error} />}
    </Form>
  );
}

const trimmed = ({ project, tenant, key }: Names): Names => ({
  project: project.trim(),
  tenant: tenant.trim(),
  key: key.trim(),
});

type Created = Awaited<ReturnType<typeof createFirst>>;

/** Passes the secrets to the dialog that shows them once, so that this form doesn't keep them. */
function show({ key, projectId }: Created, secretKey: string): void {
  const value = key.key ?? '';
  showSecret({
    title: texts.reveal.title(key.name ?? ''),
    value,
    note: <p>{texts.reveal.note}</p>,
    snippets: snippetsOf({ url: location.origin, projectId, key: value, secretKey }),
  });
}
