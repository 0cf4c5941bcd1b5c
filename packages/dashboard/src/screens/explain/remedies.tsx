import type { Env } from '@keyrail/protocol/wire/env.ts';
// Buttons that fix a failed check. Changes need confirmation, and the checks run again afterwards.
import { type ReactNode, type RefObject, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import styles from './explain.module.css';
import { FixDialog } from './fix-dialog.tsx';
import type { Asking } from './question-form.tsx';
import { texts } from './texts.ts';
import type { Explanation, Fix } from './use-explain.ts';

/** An explanation, and a function that runs the checks again. */
export type ResultProps = {
  explanation: Explanation;
  scopes: readonly string[];
  input: RefObject<HTMLInputElement | null>;
  onChange(changes: Partial<Asking>): void;
  onAgain(changes?: Partial<Asking>): void;
};

type ApiKey = NonNullable<Explanation['key']>;
type Props = ResultProps & { check: Explanation['checks'][number]['check'] };
const { remedies } = texts;

/** The scopes that the route requires but the key doesn't have. */
export const missingOf = ({ key, reason }: Explanation, scopes: readonly string[]): string[] =>
  reason === 'insufficient_scope' ? scopes.filter((scope) => !key?.scopes.includes(scope)) : [];

export function Remedies(props: Props) {
  const { explanation, check, scopes, input, onChange, onAgain } = props;
  const scope = useScope();
  const { key: apiKey } = explanation;
  const rewrite = (change: (text: string) => string) => () => {
    if (input.current) input.current.value = change(input.current.value);
    onAgain();
  };
  if (check === 'format' || check === 'checksum') return <Text {...props} onRewrite={rewrite} />;
  if (check === 'known') {
    return <Row>{link(remedies.keys(scope.env), paths.keys(scope))}</Row>;
  }
  if (apiKey === null) return <Row>{link(remedies.projects, paths.projects(scope))}</Row>;
  const offer = (fix: Fix, more?: ReactNode) => (
    <Offer apiKey={apiKey} fix={fix} onDone={onAgain}>
      {more}
    </Offer>
  );
  if (check === 'project') {
    const own = () => onChange({ keyId: apiKey.id });
    return explanation.reason === 'project_deleted' ? (
      <Row>{link(remedies.projects, paths.projects(scope))}</Row>
    ) : (
      <Row>
        <Button small onClick={own}>
          {remedies.ownProject}
        </Button>
      </Row>
    );
  }
  if (check === 'disabled' && apiKey.revoked_at === null) return offer({ act: 'enable' });
  if (check === 'expired' && explanation.reason === 'expired') {
    return offer({ act: 'extend' }, <Successor apiKey={apiKey} quiet />);
  }
  if (check === 'scopes') {
    return offer({ act: 'addScopes', scopes: missingOf(explanation, scopes) });
  }
  if (check === 'environment') {
    const own = () => {
      onChange({ env: apiKey.env });
      onAgain({ env: apiKey.env });
    };
    return (
      <Row>
        <Button small onClick={own}>
          {remedies.anyEnv(apiKey.env)}
        </Button>
        {link(remedies.keys(other(apiKey.env)), paths.keys({ ...scope, env: other(apiKey.env) }))}
      </Row>
    );
  }
  return (
    <Row>
      <Successor apiKey={apiKey} />
    </Row>
  );
}

const other = (env: Env) => (env === 'live' ? 'test' : 'live');

const Row = ({ children }: { children: ReactNode }) => (
  <div className={styles.remedies}>{children}</div>
);

const link = (label: string, to: string) => (
  <LinkButton small to={to}>
    {label}
  </LinkButton>
);

type TextProps = Props & { onRewrite(change: (text: string) => string): () => void };

/**
 * Shown if the pasted text isn't a key. If the text can be corrected, there is a button that
 * corrects it.
 */
function Text({ input, onRewrite }: TextProps) {
  const text = input.current?.value ?? '';
  const isSpaced = text !== text.trim();
  const isNamed = /^bearer /i.test(text);
  return (
    <Row>
      {isSpaced && (
        <Button small onClick={onRewrite((before) => before.trim())}>
          {remedies.trim}
        </Button>
      )}
      {isNamed && (
        <Button small onClick={onRewrite((before) => before.replace(/^bearer /i, '').trim())}>
          {remedies.bare}
        </Button>
      )}
      {!isSpaced && !isNamed && (
        <Button small onClick={() => input.current?.select()}>
          {remedies.otherKey}
        </Button>
      )}
    </Row>
  );
}

type OfferProps = { apiKey: ApiKey; fix: Fix; onDone(): void; children: ReactNode };

/** Members get a link to the key instead of a button. */
function Offer({ apiKey, fix, onDone, children }: OfferProps) {
  const { slug, mayChange } = useScope();
  const [isAsking, setAsking] = useState(false);
  const open = link(remedies.open, paths.key({ slug, env: apiKey.env, keyId: apiKey.id }));
  if (!mayChange) return <Row>{open}</Row>;
  return (
    <>
      <Row>
        <Button small onClick={() => setAsking(true)}>
          {texts.fix.action(fix, apiKey.env)}
        </Button>
        {children}
        {open}
      </Row>
      {isAsking && (
        <FixDialog apiKey={apiKey} fix={fix} onDone={onDone} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

/**
 * Links to the key that replaced this one according to the audit log. If there is none, links to
 * the form for a new key.
 */
function Successor({ apiKey, quiet = false }: { apiKey: ApiKey; quiet?: boolean }) {
  const { slug, mayChange } = useScope();
  const place = { slug, env: apiKey.env };
  const rows = useApi('GET /v1/audit_logs', {
    query: { target_id: apiKey.id, action: 'api_key.rotated', order: 'desc', limit: 1 },
  });
  const id = rows.data?.data[0]?.payload.successor_id;
  if (typeof id === 'string') return link(remedies.successor, paths.key({ ...place, keyId: id }));
  if (quiet || !mayChange || rows.isPending) return null;
  return link(remedies.create, paths.newKey(place));
}
