// Values for the examples of the reference: by the name of the field, or by the kind of object
// and the name where a name means different things. A test holds every example against its schema.

const NOW = '2026-03-02T09:30:00.000Z';
const TOMORROW = '2026-03-03T09:30:00.000Z';
const PREDECESSOR = '0195563a-1f40-7b21-9c0e-7d1f2a3b4c5d';
const ONE_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const ANOTHER_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const byName: Record<string, unknown> = {
  id: '01955a60-8c00-7c3a-b1f2-5e6d7c8b9a01',
  workspace_id: '01955a60-8c00-7a11-8d2e-3f4a5b6c7d02',
  active_workspace_id: '01955a60-8c00-7a11-8d2e-3f4a5b6c7d02',
  project_id: '01955a61-2d10-7d4b-9e3f-4a5b6c7d8e03',
  tenant_id: '01955a61-9a20-7e5c-8f40-5b6c7d8e9f04',
  key_id: '01955a62-1b30-7f6d-9051-6c7d8e9fa005',
  user_id: '01955a62-7c40-707e-8162-7d8e9fa0b106',
  invited_by: '01955a62-7c40-707e-8162-7d8e9fa0b106',
  env: 'live',
  email: 'ada@example.com',
  password: 'correct horse battery staple',
  current_password: 'the one before it',
  name: 'Production',
  slug: 'acme',
  external_id: 'cus_1042',
  tenant_external_id: 'cus_1042',
  billing_email: 'billing@example.com',
  embed_origins: ['https://app.example.com'],
  origins: ['https://app.example.com'],
  audience: ['https://app.example.com'],
  scopes: ['invoices:read'],
  meta: {},
  display_prefix: 'kr_live_Zk3v9Q',
  key: 'kr_live_Zk3v9Q…',
  token: 'pX7c…',
  reason: 'Left in a public repository.',
  role: 'admin',
  day: '2026-03-01',
  month: '2026-03-01',
  version: 42,
  since: 41,
  policy_version: 42,
  lookup_hash: ONE_HASH,
  scope_hash: ONE_HASH,
  fingerprint: ANOTHER_HASH,
  token_hash: ONE_HASH,
  lock_token: 'b7Qm2x9Lr4',
  lock_ms: 30_000,
  max_body_bytes: 262_144,
  node: 'api-7f9c-1',
  node_id: 'api-7f9c-1',
  region: 'local',
  status: 200,
  requests: 1204,
  errors: 3,
  request_count: 1204,
  active_tenants: 37,
  days: 30,
  expires_in: 300,
  default_rate_limits: [],
  project_deleted: false,
  degraded: false,
  stolen: false,
  test_mode: false,
  configured: false,
  ready: false,
  nodes: [],
  ts: NOW,
  method: 'GET',
  path: '/invoices/17',
  route: '/invoices/:id',
  duration_ms: 12.5,
  sdk: { name: 'keyrail-node', version: '1.0.0' },
  kid: '2026-03',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  checked: 128,
  head_seq: 128,
  seq: 128,
  hash: ONE_HASH,
  head_hash: ONE_HASH,
  prev_hash: ANOTHER_HASH,
};

const byKind: Record<string, unknown> = {
  'rate_limit.id': 'per-minute',
  'rate_limit.limit': 600,
  'rate_limit.window_ms': 60_000,
  'secret_key.key': 'krsk_live_3vTq9Z…',
  'secret_key.display_prefix': 'krsk_live_3vTq9Z',
  'session.token': 'krses_u8Lw2R…',
  'session.display_prefix': 'krses_u8Lw2R',
  'session.last_login_at': NOW,
  'workspace.name': 'Acme',
  'workspace_invite.token': '01955a60-8c00-7a11-8d2e-3f4a5b6c7d02.pX7c…',
  'project.name': 'Invoices API',
  'project.slug': 'invoices',
  'tenant.name': 'Globex',
  'embed_session.name': 'Globex',
  'embed_session.slug': 'invoices',
  'embed_token.token': 'eyJhbGciOiJFZERTQSJ9…',
  'embed_token.jti': '01955a63-0d50-718f-9273-8e9fa0b1c207',
  'embed_token.scopes': ['keys:read'],
  'audit_log.action': 'secret_key.created',
  'audit_log.actor_type': 'secret_key',
  'audit_log.actor_id': PREDECESSOR,
  'audit_log.target_type': 'secret_key',
  'audit_log.target_id': '01955a60-8c00-7c3a-b1f2-5e6d7c8b9a01',
  'audit_log.payload': { display_prefix: 'krsk_live_3vTq9Z', env: 'live' },
  'audit_chain.reason': null,
  'ratelimit_result.id': 'per-minute',
  'ratelimit_result.limit': 600,
  'ratelimit_result.window_ms': 60_000,
  'ratelimit_result.remaining': 599,
  'ratelimit_result.reset_ms': 60_000,
  'ratelimit_result.store': 'memory',
};

/** What an endpoint is about to do or has just done, by the end of its line. */
const byLine: [RegExp, Record<string, unknown>][] = [
  [/\/rotate$/, { rotated_from: PREDECESSOR, 'previous_key.id': PREDECESSOR }],
  [/\/rotate$/, { 'previous_key.expires_at': TOMORROW }],
  [/\/keys\/\{id\}\/revoke$/, { revoked_at: NOW, revoked_reason: byName.reason }],
  [/\/secret_keys\/\{id\}\/revoke$/, { revoked_at: NOW, revoked_reason: byName.reason }],
  [/\/invites\/\{id\}\/revoke$/, { revoked_at: NOW }],
  [/\/status$/, { status: 'ok' }],
  [/^POST \/v1\/workspaces$/, { name: 'Acme', 'secret_key.name': null }],
  [/^POST \/v1\/projects$/, { name: 'Invoices API', slug: 'invoices' }],
  [/^POST \/v1\/tenants$/, { name: 'Globex' }],
  [/^POST \/v1\/embed_tokens$/, { scopes: ['keys:read'] }],
];

export type Place = { line: string; kind: string; path: string; name: string };

/** The value for a field at a place, or undefined where its type says enough. */
export function sampleAt({ line, kind, path, name }: Place): unknown {
  for (const [pattern, values] of byLine) {
    if (pattern.test(line) && path in values) return values[path];
  }
  const special = `${kind}.${name}`;
  return special in byKind ? byKind[special] : byName[name];
}

export const SAMPLE_TIME = NOW;
