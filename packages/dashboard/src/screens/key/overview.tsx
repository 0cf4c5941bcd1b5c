// A key's details, scopes, rate limits and rotations.
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import type { ApiKey } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { classes } from '../../ui/classes.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { ruleText } from '../../ui/controls/limits.ts';
import { Link } from '../../ui/controls/link.tsx';
import styles from './key.module.css';
import { Lineage } from './lineage.tsx';

export function Overview({ of: key }: { of: ApiKey }) {
  const projects = useApi('GET /v1/projects', { query: { id: [key.project_id] } });
  const [project] = projects.data?.data ?? [];
  return (
    <>
      <Ended of={key} />
      <div className={styles.cards}>
        <div className={styles.column}>
          <Facts of={key} project={project} />
        </div>
        <div className={styles.column}>
          <Card title={texts.scopes.title}>
            {key.scopes.length === 0 ? (
              <p className={styles.quiet}>{texts.scopes.none}</p>
            ) : (
              <ul className={styles.chips}>
                {key.scopes.map((scope) => (
                  <li key={scope}>
                    <code>{scope}</code>
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title={texts.limits.title}>
            <Limits own={key.rate_limits} project={project} />
          </Card>
          <Card title={texts.lineage.title}>
            <Lineage of={key} />
          </Card>
        </div>
      </div>
    </>
  );
}

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.card}>
    <h2>{title}</h2>
    {children}
  </section>
);

type Rules = ApiKey['rate_limits'];
type Project = { name: string; slug: string; default_rate_limits: NonNullable<Rules> };

function Facts({ of: key, project }: { of: ApiKey; project: Project | undefined }) {
  const scope = useScope();
  const tenants = useApi('GET /v1/tenants', { query: { id: [key.tenant_id] } });
  const [tenant] = tenants.data?.data ?? [];
  const { facts } = texts;
  const rows: [string, ReactNode][] = [
    [facts.prefix, <KeyText key="p" text={key.display_prefix} of={facts.prefix} />],
    [facts.id, <KeyText key="i" text={key.id} of={facts.id} />],
    [
      facts.project,
      project && (
        <Link key="r" to={paths.project({ ...scope, project: project.slug })}>
          {project.name}
        </Link>
      ),
    ],
    [
      facts.tenant,
      tenant && (
        <Link key="t" to={paths.tenant({ ...scope, tenantId: tenant.id })}>
          {tenant.name ?? tenant.external_id}
        </Link>
      ),
    ],
    [facts.created, <Time key="c" at={key.created_at} />],
    [facts.used, <Time key="u" at={key.last_used_at} never={facts.never} />],
    [facts.expires, <Time key="e" at={key.expires_at} never={facts.never} />],
  ];
  if (key.imported) rows.push([facts.origin, facts.imported]);
  return (
    <Card title={facts.title}>
      <dl className={styles.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Limits({ own, project }: { own: Rules; project: Project | undefined }) {
  const { limits } = texts;
  if (own === null && !project) return null;
  const rules = own ?? project?.default_rate_limits ?? [];
  const name = project?.name ?? '';
  if (own?.length === 0) return <p>{limits.none}</p>;
  if (rules.length === 0) return <p>{limits.inheritsNone(name)}</p>;
  return (
    <>
      <p className={styles.quiet}>{own === null ? limits.inherits(name) : limits.own}</p>
      <ul className={styles.rules}>
        {rules.map((rule) => (
          <li key={rule.id}>{ruleText(rule)}</li>
        ))}
      </ul>
    </>
  );
}

/** Says why the key doesn't work, or will soon stop working. */
function Ended({ of: key }: { of: ApiKey }) {
  const { ended } = texts;
  const lines: [string, string | null, string | null, string | null][] = [
    [ended.revoked, key.revoked_at, key.revoked_reason, null],
    [ended.quarantined, key.quarantined_at, key.quarantine_reason, ended.quarantine],
    [ended.disabled, key.disabled_at, key.disabled_reason, null],
  ];
  const [first] = lines.filter(([, at]) => at !== null);
  if (!first) return null;
  const [what, at, reason, advice] = first;
  return (
    <div className={classes(styles.ended, what === ended.disabled && styles.paused)}>
      <Icon name={key.revoked_at === null ? 'warning' : 'stop'} />
      <p>
        <strong>{what}</strong> <Time at={at} />
        {reason !== null && `. ${ended.reason(reason)}`}
        {advice !== null && key.revoked_at === null && <> {advice}</>}
      </p>
    </div>
  );
}
