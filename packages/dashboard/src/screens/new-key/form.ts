// The form for a new key, and the resulting request as JSON, as a sentence, as curl and as a CLI
// command.

import type { CallInput } from '@keyrail/client';
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import type { Env } from '../../paths.ts';
import type { SnippetText } from '../../ui/content/snippet.tsx';
import { absoluteTime } from '../../ui/content/spans.ts';
import { type Limits, limitsOf, rulesOf, ruleText } from '../../ui/controls/limits.ts';
import type { Rule } from '../../ui/controls/rate-limits.tsx';
import { texts } from './texts.ts';

/** A project or a tenant. Without an ID, it is created when the form is submitted. */
export type Chosen = { id: string | null; label: string; reference: string };

export type ChosenProject = Chosen & { rules: readonly Rule[] };

export type Expiry = 'never' | '30' | '90' | '365' | 'date';

export type NewKey = {
  project: ChosenProject | null;
  tenant: Chosen | null;
  name: string;
  scopes: readonly string[];
  limits: Limits;
  expiry: Expiry;
  date: string | null;
  /** Metadata copied from another key. The form doesn't show it. */
  meta?: Body['meta'];
};

export const emptyKey: NewKey = {
  project: null,
  tenant: null,
  name: '',
  scopes: [],
  limits: limitsOf(null),
  expiry: 'never',
  date: null,
};

type Body = CallInput<'POST /v1/keys'>['body'];

function expiresAtOf({ expiry, date }: NewKey, nowMs: number): string | null {
  if (expiry === 'never') return null;
  if (expiry === 'date') return date;
  const at = new Date(nowMs + Number(expiry) * DAY_MS);
  at.setSeconds(0, 0);
  return at.toISOString();
}

const hasMeta = ({ meta = {} }: NewKey): boolean => Object.keys(meta).length > 0;

/**
 * The request body. If the project or tenant doesn't exist yet, it contains a placeholder, which is
 * shown in the examples but never sent.
 */
export function bodyOf(key: NewKey, env: Env, nowMs: number): Body {
  const expiresAt = expiresAtOf(key, nowMs);
  const rules = rulesOf(key.limits);
  return {
    project_id: key.project?.id ?? 'PROJECT_ID',
    tenant_id: key.tenant?.id ?? 'TENANT_ID',
    env,
    ...(key.name.trim() !== '' && { name: key.name.trim() }),
    ...(key.scopes.length > 0 && { scopes: [...key.scopes] }),
    ...(rules !== null && { rate_limits: rules }),
    ...(expiresAt !== null && { expires_at: expiresAt }),
    ...(hasMeta(key) && { meta: key.meta }),
  };
}

export function sentenceOf(key: NewKey, env: Env, nowMs: number): string {
  const { sentence } = texts;
  const expiresAt = expiresAtOf(key, nowMs);
  return [
    sentence.key(env, key.name.trim()),
    sentence.of(key.tenant?.label ?? sentence.noTenant, key.project?.label ?? sentence.noProject),
    sentence.scopes(key.scopes),
    limitsText(key),
    expiresAt === null ? sentence.never : sentence.until(absoluteTime(new Date(expiresAt))),
  ].join('');
}

function limitsText({ limits, project }: NewKey): string {
  const { sentence } = texts;
  if (limits.kind === 'custom') return sentence.custom(limits.rules.map(ruleText));
  const hasNone = limits.kind === 'unlimited' || project?.rules.length === 0;
  return hasNone ? sentence.noLimits : sentence.projectLimits;
}

type Context = { env: Env; nowMs: number; origin: string };

export const snippetsOf = (key: NewKey, { env, nowMs, origin }: Context): SnippetText[] => [
  { name: 'curl', code: curlOf(bodyOf(key, env, nowMs), origin) },
  { name: 'CLI', code: commandOf(key, env, nowMs) },
];

const quoted = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function curlOf(body: Body, origin: string): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [
    `curl ${origin}/v1/keys \\`,
    '  -H "authorization: Bearer $KEYRAIL_SECRET_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d '${json}'`,
  ].join('\n');
}

const referenceOf = (chosen: Chosen | null): string | null =>
  chosen?.id ? chosen.reference : null;

function commandOf(key: NewKey, env: Env, nowMs: number): string {
  const expiresAt = expiresAtOf(key, nowMs);
  const options = [
    `--project ${quoted(referenceOf(key.project) ?? 'PROJECT')}`,
    `--tenant ${quoted(referenceOf(key.tenant) ?? 'TENANT')}`,
    `--env ${env}`,
    ...(key.name.trim() === '' ? [] : [`--name ${quoted(key.name.trim())}`]),
    ...key.scopes.map((scope) => `--scope ${quoted(scope)}`),
    ...limitOptions(key),
    ...(hasMeta(key) ? [`--meta ${quoted(JSON.stringify(key.meta))}`] : []),
    ...(expiresAt === null
      ? []
      : [`--expires ${/^\d+$/.test(key.expiry) ? `${key.expiry}d` : expiresAt}`]),
  ];
  return ['keyrail keys create', ...options.map((option) => `  ${option}`)].join(' \\\n');
}

/** Rate limits as CLI options: `--rate-limit requests=1000/60s:fixed:tenant`. */
function limitOptions({ limits: { kind, rules } }: NewKey): string[] {
  if (kind === 'unlimited') return ['--unlimited'];
  if (kind === 'project') return [];
  return rules.map(({ id, limit, window_ms, algorithm, scope }) => {
    const words = [algorithm === 'fixed' ? ':fixed' : '', scope === 'tenant' ? ':tenant' : ''];
    return `--rate-limit ${quoted(`${id}=${limit}/${window_ms / 1000}s`)}${words.join('')}`;
  });
}
