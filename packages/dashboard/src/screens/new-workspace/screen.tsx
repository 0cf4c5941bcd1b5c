// Creates a workspace and shows its first secret key once.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { isSlug, slugOf } from '../../parts/slug.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { Page } from '../../shell/page.tsx';
import { showSecret } from '../../shell/reveal.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors, Problem } from '../../ui/feedback/problem.tsx';
import styles from './new-workspace.module.css';
import { texts } from './texts.ts';

export function Screen() {
  const found = useChange('POST /v1/workspaces', { refreshes: ['/v1/auth/me'] });
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const slug = chosen ?? slugOf(name);
  const errors = errorsOf(found.error, slug);
  const isKnownError = errors.name !== null || errors.slug !== null;
  const submit = () => {
    if (!isSlug(slug)) return;
    found.mutate(
      { body: { name: name.trim(), slug, env: 'test' } },
      {
        onSuccess: ({ workspace, secret_key }) => {
          showSecret({
            title: texts.secretTitle(workspace.name),
            value: secret_key.key,
            copyLabel: texts.copy,
            note: <p>{texts.secretNote}</p>,
            onStored: () => void navigate(paths.start({ slug: workspace.slug })),
          });
        },
      },
    );
  };
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      crumbs={[{ label: texts.crumb, to: paths.workspaces }]}
    >
      <Form className={styles.form} onSubmit={submit}>
        <TextField
          label={texts.name}
          error={errors.name}
          name="name"
          autoFocus
          placeholder={texts.namePlaceholder}
          value={name}
          onValue={setName}
        />
        <TextField
          label={texts.slug}
          error={errors.slug}
          hint={texts.slugHint(slug)}
          mono
          name="slug"
          value={slug}
          onValue={setChosen}
        />
        {found.error && !isKnownError && <Problem error={found.error} />}
        <div>
          <Button type="submit" kind="primary" busy={found.isPending}>
            {texts.action}
          </Button>
        </div>
      </Form>
    </Page>
  );
}

type Errors = { name: string | null; slug: string | null };

function errorsOf(error: Error | null, slug: string): Errors {
  const { name = null, slug: refused = null } = fieldErrors(error);
  if (slug !== '' && !isSlug(slug)) return { name, slug: texts.slugShape };
  const isTaken = error instanceof KeyrailError && error.code === 'conflict';
  return { name, slug: isTaken ? texts.slugTaken : refused };
}
