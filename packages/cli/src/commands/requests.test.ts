// The request that each command sends, in a table with one row per command. The server in these
// tests accepts any request.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { json, scriptedServer } from '../../../client/test/scripted-server.ts';
import { home, keyrailInProcess } from '../../test/harness.ts';
import { tree } from './all.ts';

const ID = '01890c5e-7b21-7c3a-9d5e-0123456789ab';
const TWO = '01890c5e-7b21-7c3a-9d5e-0123456789cd';

/** The response to every request, with all the fields that the commands need. */
const answer = {
  object: 'anything',
  id: ID,
  user_id: ID,
  data: [{ id: ID, user_id: ID, email: 'ada@example.com', display_prefix: 'kr_live_ab-_12' }],
  memberships: [{ workspace_id: TWO, slug: 'acme', name: 'Acme' }],
  previous_key: {},
  key: 'kr_live_made',
  token: 'made',
  workspace: {},
  secret_key: {},
  secret: 'whsec_made',
  verified: true,
};

type Case = [words: string, sent: string, body?: unknown];

const MADE = '--project p --tenant t --env live';
const FOUND = ['GET /v1/projects?slug=p', 'GET /v1/tenants?external_id=t'];
const FOUND_KEY = 'GET /v1/keys?q=kr_live_ab-_12&include_revoked=true';
const rule = { id: 'a', limit: 9, window_ms: 60_000, algorithm: 'sliding', scope: 'key' };
const day = { id: 'd', limit: 5, window_ms: 86_400_000, algorithm: 'fixed', scope: 'tenant' };

const cases: Case[] = [
  ['workspace get', 'GET /v1/workspace'],
  [
    'workspace update --name N --billing-email=',
    'PATCH /v1/workspace',
    { name: 'N', billing_email: null },
  ],
  [
    'workspace update --embed-origin https://a.b --embed-origin http://c',
    'PATCH /v1/workspace',
    { embed_origins: ['https://a.b', 'http://c'] },
  ],
  ['workspace update --no-embed-origins', 'PATCH /v1/workspace', { embed_origins: [] }],
  [
    'workspace create --name N --slug n-n --env test',
    'POST /v1/workspaces',
    { name: 'N', slug: 'n-n', env: 'test' },
  ],
  [
    'workspace switch acme',
    'GET /v1/auth/me POST /v1/auth/sessions/current/workspace',
    { workspace_id: TWO },
  ],
  ['projects list', 'GET /v1/projects?limit=100'],
  ['projects list --limit 7', 'GET /v1/projects?limit=7'],
  ['projects list --all', 'GET /v1/projects?limit=1000'],
  [`projects get ${ID}`, `GET /v1/projects/${ID}`],
  ['projects get p', `GET /v1/projects?slug=p GET /v1/projects/${ID}`],
  [
    'projects create --name N --slug s --rate-limit a=9/1m',
    'POST /v1/projects',
    { name: 'N', slug: 's', default_rate_limits: [rule] },
  ],
  [`projects update ${ID} --unlimited`, `PATCH /v1/projects/${ID}`, { default_rate_limits: [] }],
  [`projects delete ${ID} --yes`, `DELETE /v1/projects/${ID}`],
  ['tenants list', 'GET /v1/tenants?limit=100'],
  ['tenants get t', `GET /v1/tenants?external_id=t GET /v1/tenants/${ID}`],
  [`tenants get ext:${TWO}`, `GET /v1/tenants?external_id=${TWO} GET /v1/tenants/${ID}`],
  [
    'tenants create --external-id t --name N --meta {"a":[1]}',
    'POST /v1/tenants',
    { external_id: 't', name: 'N', meta: { a: [1] } },
  ],
  [`tenants update ${ID} --name=`, `PATCH /v1/tenants/${ID}`, { name: null }],
  [`tenants delete ${ID} -y`, `DELETE /v1/tenants/${ID}`],
  [`tenants revoke-embed-tokens ${ID} -y`, `POST /v1/tenants/${ID}/embed_tokens/revoke`],
  ['projects list --search pay', 'GET /v1/projects?limit=100&q=pay'],
  ['tenants list --search ac/', 'GET /v1/tenants?limit=100&q=ac%2F'],
  ['keys list --search Back', 'GET /v1/keys?limit=100&include_revoked=false&q=Back'],
  ['keys list --prefix kr_', 'GET /v1/keys?limit=100&include_revoked=false&q=kr_'],
  ['keys get kr_live_ab-_12', `${FOUND_KEY}&limit=200 GET /v1/keys/${ID}`],
  [
    'keys rotate kr_live_a',
    `${FOUND_KEY.replace('b-_12', '')}&limit=200 POST /v1/keys/${ID}/rotate`,
    {},
  ],
  ['keys list', 'GET /v1/keys?limit=100&include_revoked=false'],
  [
    `keys list --project ${TWO} --env test --revoked --all`,
    `GET /v1/keys?limit=200&project_id=${TWO}&env=test&include_revoked=true`,
  ],
  [`keys get ${ID}`, `GET /v1/keys/${ID}`],
  [
    `keys create ${MADE}`,
    [...FOUND, 'POST /v1/keys'].join(' '),
    { project_id: ID, tenant_id: ID, env: 'live' },
  ],
  [
    `keys create --project ${ID} --tenant ${TWO} --env test --scope a --scope b --unlimited --expires 2027-01-31`,
    'POST /v1/keys',
    {
      project_id: ID,
      tenant_id: TWO,
      env: 'test',
      scopes: ['a', 'b'],
      rate_limits: [],
      expires_at: '2027-01-31T00:00:00Z',
    },
  ],
  [
    `keys update ${ID} --rate-limit a=9/1m --rate-limit d=5/1d:fixed:tenant`,
    `PATCH /v1/keys/${ID}`,
    { rate_limits: [rule, day] },
  ],
  [
    `keys update ${ID} --project-limits --expires never --no-scopes`,
    `PATCH /v1/keys/${ID}`,
    { rate_limits: null, expires_at: null, scopes: [] },
  ],
  [`keys rotate ${ID}`, `POST /v1/keys/${ID}/rotate`, {}],
  [`keys rotate ${ID} --overlap 90m`, `POST /v1/keys/${ID}/rotate`, { overlap_hours: 1.5 }],
  [
    `keys revoke ${ID} --yes --reason r --wait`,
    `POST /v1/keys/${ID}/revoke?wait=true`,
    { reason: 'r' },
  ],
  [
    `keys disable ${ID} --yes --reason r --wait`,
    `POST /v1/keys/${ID}/disable?wait=true`,
    { reason: 'r' },
  ],
  [`keys enable ${ID}`, `POST /v1/keys/${ID}/enable`],
  [
    `keys explain --key-id ${ID} --project p --env live --scope a --at 2027-01-31T12:00:00Z`,
    'GET /v1/projects?slug=p POST /v1/keys/explain',
    { project_id: ID, env: 'live', scopes: ['a'], at: '2027-01-31T12:00:00Z', key_id: ID },
  ],
  [`tenants delete ${ID} --dry-run`, `DELETE /v1/tenants/${ID}?dry_run=true`],
  [`projects delete ${ID} --dry-run`, `DELETE /v1/projects/${ID}?dry_run=true`],
  [
    `projects update ${ID} --unlimited --dry-run`,
    `PATCH /v1/projects/${ID}?dry_run=true`,
    { default_rate_limits: [] },
  ],
  [`members remove ${ID} --dry-run`, `DELETE /v1/members/${ID}?secret_keys=keep&dry_run=true`],
  [`keys revoke ${ID} --dry-run --yes`, `POST /v1/keys/${ID}/revoke?wait=false&dry_run=true`, {}],
  [`keys disable ${ID} --dry-run`, `POST /v1/keys/${ID}/disable?wait=false&dry_run=true`, {}],
  [`keys rotate ${ID} --dry-run`, `POST /v1/keys/${ID}/rotate?dry_run=true`, {}],
  [`keys update ${ID} --no-scopes --dry-run`, `PATCH /v1/keys/${ID}?dry_run=true`, { scopes: [] }],
  [`secret-keys rotate ${ID} --dry-run`, `POST /v1/secret_keys/${ID}/rotate?dry_run=true`, {}],
  [`secret-keys revoke ${ID} --dry-run`, `POST /v1/secret_keys/${ID}/revoke?dry_run=true`, {}],
  [`keys usage ${ID} --days 7`, `GET /v1/keys/${ID}/usage?days=7`],
  ['secret-keys list', 'GET /v1/secret_keys?limit=100'],
  [`secret-keys get ${ID}`, `GET /v1/secret_keys/${ID}`],
  ['secret-keys create --env live --name N', 'POST /v1/secret_keys', { env: 'live', name: 'N' }],
  [
    `secret-keys rotate ${ID} --overlap 0`,
    `POST /v1/secret_keys/${ID}/rotate`,
    { overlap_hours: 0 },
  ],
  [`secret-keys revoke ${ID} -y`, `POST /v1/secret_keys/${ID}/revoke`, {}],
  [
    `embed-tokens create --project ${ID} --tenant ${TWO} --env live --scope keys:write`,
    'POST /v1/embed_tokens',
    { project_id: ID, tenant_id: TWO, env: 'live', scopes: ['keys:write'] },
  ],
  [
    'nodes list --project p --env live',
    `GET /v1/projects?slug=p GET /v1/policy/nodes?limit=100&project_id=${ID}&env=live`,
  ],
  ['members list', 'GET /v1/members?limit=100'],
  [
    'members set-role Ada@example.com owner',
    `GET /v1/members PATCH /v1/members/${ID}`,
    { role: 'owner' },
  ],
  [`members remove ${TWO} --yes`, `DELETE /v1/members/${TWO}?secret_keys=keep`],
  [`members remove ${TWO} --yes --revoke-keys`, `DELETE /v1/members/${TWO}?secret_keys=revoke`],
  ['invites list', 'GET /v1/invites?limit=100'],
  [
    'invites create --email a@b.c --role admin',
    'POST /v1/invites',
    { email: 'a@b.c', role: 'admin' },
  ],
  [`invites revoke ${ID} --yes`, `POST /v1/invites/${ID}/revoke`],
  ['audit list --after 12 --limit 3', 'GET /v1/audit_logs?limit=3&after_seq=12'],
  [
    `audit list --order desc --action api_key.* --actor ${ID} --target ${TWO}`,
    `GET /v1/audit_logs?limit=100&order=desc&action=api_key.*&actor_id=${ID}&target_id=${TWO}`,
  ],
  [
    'audit list --target-type api_key --from 2026-03-01T00:00:00Z --to 2026-03-02T00:00:00Z',
    'GET /v1/audit_logs?limit=100&target_type=api_key' +
      '&from=2026-03-01T00%3A00%3A00Z&to=2026-03-02T00%3A00%3A00Z',
  ],
  ['workspace summary --env live', 'GET /v1/workspace/summary?env=live'],
  [
    'keys list --state expiring --unused-days 90',
    'GET /v1/keys?limit=100&include_revoked=false&state=expiring&unused_days=90',
  ],
  [
    `usage tenants --tenant ${ID} --project ${TWO}`,
    `GET /v1/usage/tenants?limit=100&tenant_id=${ID}&project_id=${TWO}`,
  ],
  [`secret-keys usage ${ID}`, `GET /v1/secret_keys/${ID}/usage`],
  ['secret-keys current', 'GET /v1/secret_keys/current'],
  [
    `secret-keys narrow ${ID} --permission policy:read --project ${TWO} --network 10.0.0.0/8`,
    `PATCH /v1/secret_keys/${ID}`,
    { permissions: ['policy:read'], project_ids: [TWO], networks: ['10.0.0.0/8'] },
  ],
  [
    `secret-keys create --env live --profile node --name checkout`,
    'POST /v1/secret_keys',
    { env: 'live', profile: 'node', name: 'checkout' },
  ],
  ['audit verify', 'GET /v1/audit_logs/chain'],
  ['audit anchor', 'GET /v1/audit_logs/anchor'],
  ['environments list', 'GET /v1/environments?limit=100'],
  ['find cust_1042', 'GET /v1/search?q=cust_1042'],
  [
    'find krsk_live_AbCdEf --type secret_key --env live',
    'GET /v1/search?q=krsk_live_AbCdEf&types=secret_key&env=live',
  ],
  ['usage billing --months 12', 'GET /v1/usage/billing?limit=100&months=12'],
  ['usage tenants --env live', 'GET /v1/usage/tenants?limit=100&env=live'],
  ['usage overview --env live', 'GET /v1/usage/overview?env=live'],
  [
    'usage overview --interval day --count 7 --project p',
    `GET /v1/projects?slug=p GET /v1/usage/overview?interval=day&count=7&project_id=${ID}`,
  ],
  ['webhooks list', 'GET /v1/webhook_endpoints?limit=100'],
  [`webhooks get ${ID}`, `GET /v1/webhook_endpoints/${ID}`],
  [
    'webhooks create --endpoint https://a.b/c --event api_key.* --event * --env test',
    'POST /v1/webhook_endpoints',
    { url: 'https://a.b/c', events: ['api_key.*', '*'], env: 'test' },
  ],
  [
    `webhooks update ${ID} --endpoint https://a.b/d --env both --description= --disable`,
    `PATCH /v1/webhook_endpoints/${ID}`,
    { url: 'https://a.b/d', env: null, description: null, disabled: true },
  ],
  [`webhooks delete ${ID} --yes`, `DELETE /v1/webhook_endpoints/${ID}`],
  [
    `webhooks rotate-secret ${ID} --overlap 1h`,
    `POST /v1/webhook_endpoints/${ID}/rotate_secret`,
    { overlap_hours: 1 },
  ],
  [`webhooks test ${ID}`, `POST /v1/webhook_endpoints/${ID}/test`],
  [
    `webhooks deliveries ${ID} --state failed`,
    `GET /v1/webhook_endpoints/${ID}/deliveries?limit=100&state=failed`,
  ],
  [`webhooks retry ${ID}`, `POST /v1/webhook_deliveries/${ID}/retry`],
  ['status', 'GET /status'],
  ['api get /v1/keys?limit=2', 'GET /v1/keys?limit=2'],
  ['api POST /v1/x --body {"a":1}', 'POST /v1/x', { a: 1 }],
];

test('each command sends the request that the table lists for it', async (t) => {
  const { url, seen } = await scriptedServer(t, [json(answer)]);
  const path = await home(t);
  const keyrail = keyrailInProcess(path, { KEYRAIL_URL: url, KEYRAIL_TOKEN: 'krses_x' });
  for (const [words, sent, body] of cases) {
    seen.length = 0;
    const ran = await keyrail(`${words} --json`);
    equal(ran.code, 0, `${words}: ${ran.stderr}`);
    equal(seen.map(({ method, url: at }) => `${method} ${at}`).join(' '), sent, words);
    const said = seen.at(-1)?.body ?? '';
    deepEqual(said === '' ? undefined : JSON.parse(said), body, words);
    JSON.parse(ran.stdout);
  }
});

test("if --profile is passed twice, the first selects the login and the second the new key's permissions", async (t) => {
  const { url } = await scriptedServer(t, [json(answer)]);
  const keyrail = keyrailInProcess(await home(t), { KEYRAIL_URL: url, KEYRAIL_TOKEN: 'krses_x' });
  const ran = await keyrail('--profile staging secret-keys create --env live --profile node');
  equal(ran.code, 4);
  match(ran.stderr, /no profile named "staging"/);
});

test('every command is in the table above or has a separate test', () => {
  const silent = ['profiles'];
  // These commands read or write a file, or send requests elsewhere, and are tested separately.
  const elsewhere = ['keys import', 'audit export', 'receipt verify', 'webhooks listen'];
  const paths = tree.groups
    .filter(({ name }) => !silent.includes(name))
    .flatMap(({ name, commands }) => commands.map((command) => `${name} ${command.name}`));
  const missing = paths.filter(
    (path) => !cases.some(([words]) => `${words} `.startsWith(`${path} `)),
  );
  deepEqual(missing, elsewhere);
});
