// The workspace: the vendor's account.
import type { Answer } from '@keyrail/client';
import { type Command, changeCommand, type Group, requireChange, showCommand } from '../command.ts';
import { refused, usage } from '../failures.ts';
import type { Given } from '../input/given.ts';
import { envOf, envOption, nameOption } from '../input/options.ts';
import { createdField, type Field, idField, nameField, updatedField } from '../output/fields.ts';
import { withProfile } from '../profiles/profile-file.ts';

const fields: readonly Field<Answer<'GET /v1/workspace'>>[] = [
  idField,
  { title: 'slug', of: (workspace) => workspace.slug },
  nameField,
  { title: 'billing email', of: (workspace) => workspace.billing_email },
  { title: 'embed origins', of: (workspace) => workspace.embed_origins.join(' ') },
  createdField,
  updatedField,
];

type Summary = Answer<'GET /v1/workspace/summary'>;

/** Formats a count. The server stops counting at a maximum, so there may be more than that. */
const countIn = (of: (summary: Summary) => number | null) => (summary: Summary) => {
  const count = of(summary);
  return count === summary.counted_max ? `${count} or more` : count;
};

const summaryFields: readonly Field<Summary>[] = [
  { title: 'projects', of: countIn(({ projects }) => projects) },
  { title: 'tenants', of: countIn(({ tenants }) => tenants) },
  { title: 'active keys', of: countIn(({ keys }) => keys.active) },
  { title: 'expiring keys', of: countIn(({ keys }) => keys.expiring) },
  { title: 'expired keys', of: countIn(({ keys }) => keys.expired) },
  { title: 'disabled keys', of: countIn(({ keys }) => keys.disabled) },
  { title: 'quarantined keys', of: countIn(({ keys }) => keys.quarantined) },
  { title: 'unused keys', of: countIn(({ keys }) => keys.unused) },
  { title: 'secret keys', of: countIn((summary) => summary.secret_keys) },
  { title: 'current nodes', of: countIn(({ nodes }) => nodes.current) },
  { title: 'nodes behind', of: countIn(({ nodes }) => nodes.behind) },
  { title: 'silent nodes', of: countIn(({ nodes }) => nodes.silent) },
  { title: 'first request', of: (summary, format) => format.time(summary.first_request_at) },
  { title: 'last request', of: (summary, format) => format.time(summary.last_request_at) },
];

const originOption = {
  flags: '--embed-origin <origin>',
  about: 'origin allowed to use embed tokens, such as https://app.example.com; repeatable',
  repeat: true,
} as const;

function originsOf(given: Given): string[] | undefined {
  const origins = given.list('embedOrigin');
  if (!given.negated('embedOrigins')) return origins;
  if (origins) throw usage('Use only one of --embed-origin and --no-embed-origins.');
  return [];
}

const create: Command = {
  name: 'create',
  summary: 'create a workspace and its first secret key',
  options: [
    { ...nameOption, required: true },
    { flags: '--slug <slug>', about: 'short name, unique in the deployment', required: true },
    { flags: '--billing-email <address>', about: 'email address for invoices and warnings' },
    { ...envOption, about: 'environment of the first secret key (default: live)' },
    { flags: '--save', about: 'save the secret key in the profile' },
  ],
  examples: [
    'keyrail workspace create --name Acme --slug acme',
    'KEYRAIL_TOKEN=$(cat .keyrail/bootstrap-token) keyrail workspace create \\\n' +
      '      --name Acme --slug acme --save',
  ],
  notes: `Requires a session or the deployment's bootstrap token. The secret key is shown only
once. In a pipe, stdout contains nothing else. --quiet prints only the secret key.`,
  changes: true,
  run: async (context, given) => {
    const created = await context.client().call('POST /v1/workspaces', {
      body: {
        name: given.text('name'),
        slug: given.text('slug'),
        billing_email: given.maybe('billingEmail'),
        env: envOf(given),
      },
    });
    const { workspace, secret_key: secretKey } = created;
    const one = {
      answer: created,
      one: workspace,
      fields,
      secret: secretKey.key,
      what: 'secret key',
    };
    context.output.newSecret(one);
    if (!given.flag('save')) return;
    const { url, profileName } = context.target;
    const profile = { url, token: secretKey.key, kind: 'secret_key' } as const;
    await context.saveProfiles(withProfile(context.profiles, profileName, profile));
    context.output.note(`Saved the secret key in the profile "${profileName}".`);
  },
};

const switchTo: Command = {
  name: 'switch',
  summary: 'switch this session to another of your workspaces',
  args: [{ name: 'workspace', about: 'workspace, by ID or slug' }],
  examples: ['keyrail workspace switch acme'],
  changes: true,
  run: async (context, given) => {
    const client = context.client();
    const wanted = given.text('workspace');
    const { memberships } = await client.call('GET /v1/auth/me');
    const found = memberships.find(({ workspace_id: id, slug }) => [id, slug].includes(wanted));
    if (!found) throw refused(`You aren't a member of any workspace named "${wanted}".`);
    const session = await client.call('POST /v1/auth/sessions/current/workspace', {
      body: { workspace_id: found.workspace_id },
    });
    context.output.report(session, `This session now uses ${found.name} (${found.slug}).`);
  },
};

export const workspace: Group = {
  name: 'workspace',
  summary: 'your workspace on this deployment',
  commands: [
    showCommand({
      name: 'get',
      summary: 'show the workspace',
      examples: ['keyrail workspace get', 'keyrail workspace get --json'],
      request: (client) => client.call('GET /v1/workspace'),
      fields,
    }),
    showCommand({
      name: 'summary',
      summary: 'summarise the workspace and what needs attention',
      options: [envOption],
      examples: ['keyrail workspace summary --env live'],
      notes: "Unused keys are over 90 days old and haven't been used in the last 90 days.",
      request: (client, given) =>
        client.call('GET /v1/workspace/summary', { query: { env: envOf(given) } }),
      fields: summaryFields,
    }),
    changeCommand({
      name: 'update',
      summary: 'change the workspace',
      options: [
        nameOption,
        { flags: '--billing-email <address>', about: 'email address for invoices; "" removes it' },
        originOption,
        { flags: '--no-embed-origins', about: 'remove all origins' },
      ],
      examples: [
        'keyrail workspace update --name "Acme Inc."',
        'keyrail workspace update --embed-origin https://app.example.com',
      ],
      notes: 'The origins you pass replace all existing ones.',
      request: (client, given) =>
        client.call('PATCH /v1/workspace', {
          body: requireChange({
            name: given.maybe('name'),
            billing_email: given.maybe('billingEmail') === '' ? null : given.maybe('billingEmail'),
            embed_origins: originsOf(given),
          }),
        }),
      fields,
    }),
    create,
    switchTo,
  ],
};
