// How to embed the key manager in an app: allowed origins, token scopes, and code.
import type { Item } from '@keyrail/client';
import { useState } from 'react';
import { useApi, useList } from '../../api/query.ts';
import type { Env } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { Section } from '../../ui/content/section.tsx';
import { Snippet } from '../../ui/content/snippet.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Scopes } from '../../ui/controls/scopes.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Checkbox } from '../../ui/controls/toggle.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { snippetsOf } from './code.ts';
import styles from './embed.module.css';
import { Origins } from './origins.tsx';
import { Preview } from './preview.tsx';
import { texts } from './texts.ts';

type Project = Item<'GET /v1/projects'>;

const PROJECTS_SHOWN = 100;
const NO_PROJECT = '<project ID>';

export function Screen() {
  const workspace = useApi('GET /v1/workspace', {});
  const projects = useList('GET /v1/projects', { query: { limit: PROJECTS_SHOWN } });
  return (
    <Page title={texts.title} lead={texts.lead}>
      <ReadOnly />
      <Loaded query={workspace} failed={texts.failed} skeleton={<SkeletonRows rows={4} />}>
        {({ embed_origins: origins }) => <Origins stored={origins} />}
      </Loaded>
      <Try projects={projects.pages?.flat() ?? []} />
    </Page>
  );
}

function Try({ projects }: { projects: readonly Project[] }) {
  const scope = useScope();
  const [chosen, setChosen] = useState<string | null>(null);
  const [env, setEnv] = useState<Env>(scope.env);
  const [mayWrite, setMayWrite] = useState(true);
  const [keyScopes, setKeyScopes] = useState<readonly string[]>(['invoices:read']);
  const projectId = chosen ?? projects[0]?.id ?? NO_PROJECT;
  const { token, code } = texts;
  const choice = { url: location.origin, projectId, env, mayWrite, keyScopes };
  return (
    <>
      <Section title={token.title} lead={token.lead}>
        <div className={styles.form}>
          <div className={styles.pair}>
            {projects.length === 0 ? (
              <p className={styles.quiet}>{token.noProject}</p>
            ) : (
              <Field label={token.project}>
                {(control) => (
                  <Select
                    {...control}
                    value={projectId}
                    options={projects.map(({ id, name }) => ({ value: id, label: name }))}
                    onValue={setChosen}
                  />
                )}
              </Field>
            )}
            <Field label={token.env}>
              {(control) => (
                <Select<Env> {...control} value={env} options={token.envs} onValue={setEnv} />
              )}
            </Field>
          </div>
          <Checkbox label={token.read} checked disabled onChecked={() => null} />
          <Checkbox label={token.write} checked={mayWrite} onChecked={setMayWrite} />
          {mayWrite && (
            <Field label={token.scopes} hint={token.scopesHint} optional>
              {(control) => (
                <Scopes
                  control={control}
                  scopes={keyScopes}
                  placeholder={token.scopesPlaceholder}
                  onScopes={setKeyScopes}
                />
              )}
            </Field>
          )}
        </div>
      </Section>
      <Preview choice={choice} />
      <Section title={code.title} lead={code.lead}>
        <Snippet label={code.label} texts={snippetsOf(choice)} />
        <p className={styles.quiet}>
          {code.guide} <a href="/docs">{code.reference}</a>
        </p>
      </Section>
    </>
  );
}
