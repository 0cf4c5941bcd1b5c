// The workspace: the vendor's account.
import type { Answer } from '@keyrail/client/types.ts';
import { type Command, changing, type Group, showing, someOf } from '../command.ts';
import { createdFact, type Fact, idFact, nameFact, updatedFact } from '../facts.ts';
import { refused, usage } from '../faults.ts';
import type { Given } from '../given.ts';
import { envOf, envOption, nameOption } from '../options.ts';
import { withProfile } from '../profile.ts';

const facts: readonly Fact<Answer<'GET /v1/workspace'>>[] = [
  idFact,
  { title: 'slug', of: (workspace) => workspace.slug },
  nameFact,
  { title: 'billing e-mail', of: (workspace) => workspace.billing_email },
  { title: 'embed origins', of: (workspace) => workspace.embed_origins.join(' ') },
  createdFact,
  updatedFact,
];

const originOption = {
  flags: '--embed-origin <origin>',
  about: 'where embed tokens may be used, as in https://app.example.com; may be repeated',
  repeat: true,
} as const;

function originsOf(given: Given): string[] | undefined {
  const origins = given.list('embedOrigin');
  if (!given.without('embedOrigins')) return origins;
  if (origins) throw usage('--embed-origin and --no-embed-origins exclude one another.');
  return [];
}

const create: Command = {
  name: 'create',
  summary: 'found a workspace and mint its first secret key',
  options: [
    { ...nameOption, required: true },
    { flags: '--slug <slug>', about: 'short name, unique in the deployment', required: true },
    { flags: '--billing-email <address>', about: 'where bills and warnings go' },
    { ...envOption, about: 'environment of the first secret key (live)' },
    { flags: '--save', about: 'keep the secret key in the profile' },
  ],
  examples: [
    'keyrail workspace create --name Acme --slug acme',
    'KEYRAIL_TOKEN=$(cat .keyrail/bootstrap-token) keyrail workspace create \\\n' +
      '      --name Acme --slug acme --save',
  ],
  notes: `Needs a session or the bootstrap token of the deployment. The secret key is printed this
once; in a pipe stdout carries nothing else. --quiet prints only the secret key.`,
  changes: true,
  run: async (context, given) => {
    const founded = await context.client().call('POST /v1/workspaces', {
      body: {
        name: given.text('name'),
        slug: given.text('slug'),
        billing_email: given.maybe('billingEmail'),
        env: envOf(given),
      },
    });
    const { workspace, secret_key: made } = founded;
    const one = { answer: founded, one: workspace, facts, secret: made.key, what: 'secret key' };
    context.output.showOnce(one);
    if (!given.flag('save')) return;
    const { url, profileName } = context.target;
    const profile = { url, token: made.key, kind: 'secret_key' } as const;
    await context.saveProfiles(withProfile(context.profiles, profileName, profile));
    context.output.note(`Kept it in the profile "${profileName}".`);
  },
};

const switchTo: Command = {
  name: 'switch',
  summary: 'make another of your workspaces the active one of this session',
  args: [{ name: 'workspace', about: 'workspace, by id or slug' }],
  examples: ['keyrail workspace switch acme'],
  changes: true,
  run: async (context, given) => {
    const client = context.client();
    const wanted = given.text('workspace');
    const { memberships } = await client.call('GET /v1/auth/me');
    const found = memberships.find(({ workspace_id: id, slug }) => [id, slug].includes(wanted));
    if (!found) throw refused(`You are no member of a workspace "${wanted}".`);
    const session = await client.call('POST /v1/auth/sessions/current/workspace', {
      body: { workspace_id: found.workspace_id },
    });
    context.output.did(session, `Now acting in ${found.name} (${found.slug}).`);
  },
};

export const workspace: Group = {
  name: 'workspace',
  summary: 'your account on this deployment',
  commands: [
    showing({
      name: 'get',
      summary: 'show the workspace',
      examples: ['keyrail workspace get', 'keyrail workspace get --json'],
      ask: (client) => client.call('GET /v1/workspace'),
      facts,
    }),
    changing({
      name: 'update',
      summary: 'change the workspace',
      options: [
        nameOption,
        { flags: '--billing-email <address>', about: 'where bills go; "" removes it' },
        originOption,
        { flags: '--no-embed-origins', about: 'take every origin away' },
      ],
      examples: [
        'keyrail workspace update --name "Acme Inc."',
        'keyrail workspace update --embed-origin https://app.example.com',
      ],
      notes: 'The origins that are given replace those that were.',
      ask: (client, given) =>
        client.call('PATCH /v1/workspace', {
          body: someOf({
            name: given.maybe('name'),
            billing_email: given.maybe('billingEmail') === '' ? null : given.maybe('billingEmail'),
            embed_origins: originsOf(given),
          }),
        }),
      facts,
    }),
    create,
    switchTo,
  ],
};
