import { EMBED_ORIGINS_MAX } from '@keyrail/protocol/wire/limits.ts';
// The list of allowed origins. All changes are saved together.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { useScope } from '../../shell/scope.ts';
import { Section } from '../../ui/content/section.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import styles from './embed.module.css';
import { isOrigin, isPlainHttp, originFault } from './origin.ts';
import { texts } from './texts.ts';

export function Origins({ stored }: { stored: readonly string[] }) {
  const { mayChange } = useScope();
  const { title, lead, list, none } = texts.origins;
  return (
    <Section title={title} lead={lead}>
      {mayChange ? (
        <Editor key={stored.join(' ')} stored={stored} />
      ) : stored.length === 0 ? (
        <p>{none}</p>
      ) : (
        <ul aria-label={list} className={styles.origins}>
          {stored.map((origin) => (
            <li key={origin}>
              <code>{origin}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Editor({ stored }: { stored: readonly string[] }) {
  const save = useChange('PATCH /v1/workspace', { refreshes: ['/v1/workspace', '/v1/audit_logs'] });
  const [lines, setLines] = useState<readonly string[]>(stored.length === 0 ? [''] : stored);
  const origins = lines.map((line) => line.trim()).filter((line) => line !== '');
  const isValid = origins.every(isOrigin) && new Set(origins).size === origins.length;
  const isChanged = origins.join(' ') !== stored.join(' ');
  const removed = stored.filter((origin) => !origins.includes(origin));
  const { add, full, save: action, saved, removing, none } = texts.origins;
  const submit = () => {
    if (isValid)
      save.mutate({ body: { embed_origins: origins } }, { onSuccess: () => toast(saved) });
  };
  return (
    <Form className={styles.form} onSubmit={submit}>
      {lines.map((line, at) => (
        <OriginLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
          key={at}
          at={at}
          line={line}
          others={lines.filter((_, other) => other < at)}
          onLine={(text) => setLines(lines.map((each, other) => (other === at ? text : each)))}
          onRemove={() => setLines(lines.filter((_, other) => other !== at))}
        />
      ))}
      {stored.length === 0 && <p className={styles.quiet}>{none}</p>}
      {removed.length > 0 && <p className={styles.removing}>{removing(removed)}</p>}
      {save.error && <Problem error={save.error} />}
      <div className={styles.buttons}>
        <Button
          icon="plus"
          because={lines.length >= EMBED_ORIGINS_MAX ? full(EMBED_ORIGINS_MAX) : null}
          onClick={() => setLines([...lines, ''])}
        >
          {add}
        </Button>
        <Button
          type="submit"
          kind={isChanged && isValid ? 'primary' : 'plain'}
          busy={save.isPending}
        >
          {action}
        </Button>
      </div>
    </Form>
  );
}

type LineProps = {
  at: number;
  line: string;
  others: readonly string[];
  onLine(text: string): void;
  onRemove(): void;
};

const OriginLine = ({ at, line, others, onLine, onRemove }: LineProps) => (
  <Field
    label={texts.origins.label(at + 1)}
    error={originFault(line.trim(), others)}
    hint={isOrigin(line.trim()) && isPlainHttp(line.trim()) && texts.origins.plainHttp}
  >
    {(control) => (
      <div className={styles.line}>
        <Input
          {...control}
          mono
          type="url"
          name={`origin-${at}`}
          placeholder={texts.origins.placeholder}
          value={line}
          onChange={({ target }) => onLine(target.value)}
        />
        <IconButton icon="trash" label={texts.origins.remove(line)} onClick={onRemove} />
      </div>
    )}
  </Field>
);
