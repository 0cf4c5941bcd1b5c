// An active API key as the API returns it, without optional values. Used in previews and tests.

const ID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

export const SAMPLE_KEY = {
  object: 'api_key' as const,
  id: ID,
  project_id: ID,
  tenant_id: ID,
  env: 'live' as const,
  display_prefix: 'kr_live_abcdef',
  name: null,
  state: 'active' as const,
  scopes: [],
  meta: {},
  rate_limits: null,
  expires_at: null,
  revoked_at: null,
  revoked_reason: null,
  quarantined_at: null,
  quarantine_reason: null,
  disabled_at: null,
  disabled_reason: null,
  rotated_from: null,
  imported: false,
  created_at: '2025-01-31T10:00:00.000Z',
  last_used_at: null,
};
