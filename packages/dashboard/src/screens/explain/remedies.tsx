// What mends a failed check, as buttons. A change is followed by the same question again.
import type { ReactNode, RefObject } from 'react';
import { useApi, useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DAY_MS } from '../../ui/spans.ts';
import { toast } from '../../ui/toast.tsx';
import styles from './explain.module.css';
import type { Asking } from './question-form.tsx';
import { texts } from './texts.ts';
import type { Explanation } from './use-explain.ts';

/** An explanation, and how to ask again. */
export type ResultProps = {
  explanation: Explanation;
  scopes: readonly string[];
  input: RefObject<HTMLInputElement | null>;
  onChange(changes: Partial<Asking>): void;
  onAgain(changes?: Partial<Asking>): void;
};

type ApiKey = NonNullable<Explanation['key']>;
type Props = ResultProps & { check: Explanation['checks'][number]['check'] };
type KeyProps = { apiKey: ApiKey; onAgain(): void };

const EXTENDED_MS = 30 * DAY_MS;
const STALE = ['/v1/keys', '/v1/audit_logs'];
const { remedies } = texts;

/** The scopes that were asked for and that the key lacks. */
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
  const asked = { apiKey, onAgain };
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
  if (check === 'disabled' && apiKey.revoked_at === null) return <Enable {...asked} />;
  if (check === 'expired' && explanation.reason === 'expired') return <Extend {...asked} />;
  if (check === 'scopes') {
    return <AddScopes {...asked} missing={missingOf(explanation, scopes)} />;
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

const other = (env: 'live' | 'test') => (env === 'live' ? 'test' : 'live');

const Row = ({ children }: { children: ReactNode }) => (
  <div className={styles.remedies}>{children}</div>
);

const link = (label: string, to: string) => (
  <LinkButton small to={to}>
    {label}
  </LinkButton>
);

type TextProps = Props & { onRewrite(change: (text: string) => string): () => void };

/** A text that is no key: what can be mended in the input is mended there. */
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

function Enable({ apiKey, onAgain }: KeyProps) {
  const enable = useChange('POST /v1/keys/{id}/enable', { refreshes: STALE });
  const run = () =>
    enable.mutate({ params: { id: apiKey.id } }, { onSuccess: done(texts.done.enabled, onAgain) });
  return (
    <Mending label={remedies.enable(apiKey.env)} change={enable} onRun={run} apiKey={apiKey} />
  );
}

function Extend({ apiKey, onAgain }: KeyProps) {
  const extend = useChange('PATCH /v1/keys/{id}', { refreshes: STALE });
  const run = () => {
    // The question may be about a later time: the end never moves closer.
    const fromMs = Math.max(nowMs(), Date.parse(apiKey.expires_at ?? '') || 0);
    const expires_at = new Date(fromMs + EXTENDED_MS).toISOString();
    extend.mutate(
      { params: { id: apiKey.id }, body: { expires_at } },
      { onSuccess: done(texts.done.extended, onAgain) },
    );
  };
  return (
    <Mending label={remedies.extend(apiKey.env)} change={extend} onRun={run} apiKey={apiKey}>
      <Successor apiKey={apiKey} quiet />
    </Mending>
  );
}

function AddScopes({ apiKey, missing, onAgain }: KeyProps & { missing: readonly string[] }) {
  const add = useChange('PATCH /v1/keys/{id}', { refreshes: STALE });
  const run = () =>
    add.mutate(
      { params: { id: apiKey.id }, body: { scopes: [...apiKey.scopes, ...missing] } },
      { onSuccess: done(texts.done.scopes, onAgain) },
    );
  const label = remedies.addScopes(missing, apiKey.env);
  return <Mending label={label} change={add} onRun={run} apiKey={apiKey} />;
}

const done = (text: string, onAgain: () => void) => () => {
  toast(text);
  onAgain();
};

type MendingProps = {
  label: string;
  apiKey: ApiKey;
  change: { isPending: boolean; error: Error | null };
  onRun(): void;
  children?: ReactNode;
};

/** A member sees the way to the key instead of the change. */
function Mending({ label, apiKey, change, onRun, children }: MendingProps) {
  const { slug, mayChange } = useScope();
  const open = link(remedies.open, paths.key({ slug, env: apiKey.env }, apiKey.id));
  if (!mayChange) return <Row>{open}</Row>;
  return (
    <>
      <Row>
        <Button small busy={change.isPending} onClick={onRun}>
          {label}
        </Button>
        {children}
        {open}
      </Row>
      {change.error && <Problem error={change.error} />}
    </>
  );
}

/** The key that replaced this one, from the row of its rotation; else the way to a new key. */
function Successor({ apiKey, quiet = false }: { apiKey: ApiKey; quiet?: boolean }) {
  const { slug, mayChange } = useScope();
  const place = { slug, env: apiKey.env };
  const rows = useApi('GET /v1/audit_logs', {
    query: { target_id: apiKey.id, action: 'api_key.rotated', order: 'desc', limit: 1 },
  });
  const id = rows.data?.data[0]?.payload.successor_id;
  if (typeof id === 'string') return link(remedies.successor, paths.key(place, id));
  if (quiet || !mayChange || rows.isPending) return null;
  return link(remedies.create, paths.newKey(place));
}
