// All API limits in one place, so that the schemas, the server and the documentation agree. All
// limits are inclusive. Each name ends with its unit and, where it applies, MIN, MAX or DEFAULT.

// Requests as a whole
export const BODY_BYTES_MAX = 1_048_576;
/** The size limit for endpoints without a credential, except the one for reporting leaked keys. */
export const OPEN_BODY_BYTES_MAX = 8192;
export const LARGE_BODY_BYTES_MAX = 8_388_608;
export const JSON_DEPTH_MAX = 64;
// The maximum number of JSON values in a request without a credential, because parsing 1 MiB of
// small values would block other requests.
export const STRANGERS_VALUES_MAX = 1_000;

// Text, counted in code points
export const NAME_CHARS_MIN = 1;
export const NAME_CHARS_MAX = 200;
export const EMAIL_CHARS_MAX = 320;
export const SLUG_CHARS_MIN = 3;
export const SLUG_CHARS_MAX = 63;
export const EXTERNAL_ID_CHARS_MIN = 1;
export const EXTERNAL_ID_CHARS_MAX = 200;
export const REASON_CHARS_MIN = 1;
export const REASON_CHARS_MAX = 500;
export const ONE_TIME_TOKEN_CHARS_MIN = 1;
export const ONE_TIME_TOKEN_CHARS_MAX = 500;
export const PASSWORD_CHARS_MIN = 12;
export const PASSWORD_CHARS_MAX = 256;
export const NODE_ID_CHARS_MAX = 128;
export const USER_AGENT_CHARS_MAX = 256;
export const SDK_NAME_CHARS_MAX = 64;
export const SDK_VERSION_CHARS_MAX = 32;
export const SDK_HEADER_CHARS_MAX = 200;

// Secret keys
export const SECRET_KEY_PROJECTS_MAX = 50;
export const SECRET_KEY_NETWORKS_MAX = 64;
export const NETWORK_CHARS_MAX = 100;

// Scopes and rate limits
export const SCOPES_MAX = 64;
export const SCOPE_CHARS_MIN = 1;
export const SCOPE_CHARS_MAX = 200;
export const RATE_LIMIT_RULES_MAX = 8;
export const RATE_LIMIT_ID_CHARS_MAX = 64;
export const RATE_LIMIT_MIN = 1;
export const RATE_LIMIT_MAX = 1_000_000_000;
export const RATE_LIMIT_WINDOW_MS_MIN = 1_000;
export const RATE_LIMIT_WINDOW_MS_MAX = 2_678_400_000;
export const RATE_LIMIT_COST_MIN = 0;
export const RATE_LIMIT_COST_MAX = 1_000;
export const RATE_LIMIT_COST_DEFAULT = 1;
export const RATE_LIMIT_LEASE_MIN = 1;
export const RATE_LIMIT_LEASE_MAX = 10_000;
export const RATE_LIMIT_LEASE_ID_CHARS_MAX = 64;

// Keys
export const OVERLAP_HOURS_MIN = 0;
export const OVERLAP_HOURS_MAX = 168;
export const OVERLAP_HOURS_DEFAULT = 24;
export const QUARANTINE_HOURS = 1;
export const KEY_EXPIRING_DAYS = 14;
/** How long Keyrail remembers which permissions a secret key has used. */
export const SECRET_KEY_USE_DAYS = 30;
/** A permission's use is recorded again only after this time. */
export const SECRET_KEY_USE_HOURS = 6;
export const UNUSED_DAYS_MIN = 1;
export const UNUSED_DAYS_MAX = 365;
// A workspace summary considers a key unused after this many days without use.
export const UNUSED_DAYS_COUNTED = 90;
// If a list of keys is filtered by `unused_days`, each page examines at most this many keys.
export const UNUSED_KEYS_EXAMINED_MAX = 1_000;
// Counting stops at these numbers: COUNTED_MAX in a workspace summary, KEYS_COUNTED_MAX for the
// keys of a project or tenant.
export const COUNTED_MAX = 10_000;
export const KEYS_COUNTED_MAX = 1_000;
export const REVOKE_WAIT_MS_DEFAULT = 10_000;
// The maximum value of the KEYRAIL_REVOKE_WAIT_MS setting. Apart from waits for the database, it is
// the longest wait that operators can configure.
export const REVOKE_WAIT_MS_MAX = 60_000;
export const NODE_SEEN_WITHIN_MS = 90_000;
// The maximum length of the text in a request to explain a key. The text need not be a key.
export const KEY_TEXT_CHARS_MAX = 1_024;
// The maximum number of keys that a dry run counts. It counts the newest keys and ignores the rest.
export const IMPACT_KEYS_MAX = 10_000;
// If a dry run covers all of a tenant's keys, it counts nodes in at most this many combinations of
// project and environment.
export const IMPACT_PLACES_MAX = 200;
// How many characters of the body are shown in a display prefix, after `kr_live_` or a similar
// prefix.
export const SHOWN_BODY_CHARS = 6;
export const DISPLAY_PREFIX_CHARS_MIN = 1;
export const DISPLAY_PREFIX_CHARS_MAX = 24;
export const IMPORTED_KEY_CHARS_MIN = 8;
export const IMPORTED_KEY_CHARS_MAX = 512;
export const IMPORT_KEYS_MIN = 1;
export const IMPORT_KEYS_MAX = 1_000;
// The maximum number of JSON values per import: 150 for each of 1,000 keys. Parsing millions would
// block other requests.
export const IMPORT_VALUES_MAX = 150_000;

// Lists
export const LIST_LIMIT_MAX = 1_000;
export const LIST_LIMIT_DEFAULT = 1_000;
export const KEYS_LIMIT_MAX = 200;
export const KEYS_LIMIT_DEFAULT = 50;
export const EMBED_KEYS_LIMIT_MAX = 100;
export const EMBED_KEYS_LIMIT_DEFAULT = 50;
export const AUDIT_LIMIT_MAX = 200;
export const AUDIT_LIMIT_DEFAULT = 50;
export const AUDIT_NAME_CHARS_MAX = 64;
export const AUDIT_ACTOR_CHARS_MAX = 200;
// The minimum and maximum number of IDs in a query. The parameter is repeated for each ID.
export const IDS_MIN = 1;
export const IDS_MAX = 100;
// The maximum page size for key counts, enough for one entry per ID and environment.
export const KEY_COUNTS_LIMIT_MAX = 200;
export const SEARCH_CHARS_MIN = 1;
export const SEARCH_CHARS_MAX = 200;
// The maximum number of matches per field and, for keys, per environment and state. Further matches
// are not listed.
export const SEARCH_MATCHES_MAX = 500;
// A search text of at least SEARCH_PART_CHARS_MIN characters is also looked for in the middle of
// fields, in the newest SEARCH_EXAMINED_MAX rows (for keys, in that many per environment).
export const SEARCH_PART_CHARS_MIN = 3;
export const SEARCH_EXAMINED_MAX = 10_000;
// The workspace search
export const FIND_CHARS_MAX = 100;
export const FOUND_PER_TYPE_MAX = 10;
export const CURSOR_CHARS_MIN = 1;
export const CURSOR_CHARS_MAX = 512;

// Usage
export const USAGE_DAYS_MIN = 1;
export const USAGE_DAYS_MAX = 90;
export const USAGE_DAYS_DEFAULT = 30;
export const KEYS_USAGE_DAYS_MAX = 30;
export const KEYS_USAGE_DAYS_DEFAULT = 7;
export const USAGE_MONTHS_MIN = 1;
export const USAGE_MONTHS_MAX = 24;
export const BILLING_MONTHS_DEFAULT = 6;
export const TENANT_MONTHS_DEFAULT = 1;
export const OVERVIEW_HOURS_MAX = 168;
export const OVERVIEW_HOURS_DEFAULT = 24;
export const OVERVIEW_DAYS_MAX = 35;

// Policy feed
export const POLICY_TENANTS_MIN = 1;
export const POLICY_TENANTS_MAX = 50;
export const POLICY_PAGE_KEYS_MAX_DEFAULT = 10_000;
export const POLICY_WAIT_MS_MAX = 30_000;
export const POLICY_REPORT_NODES_MIN = 1;
export const POLICY_REPORT_NODES_MAX = 1_000;
export const UNDERSTANDS_CHARS_MAX = 200;
export const POLICY_EXPIRED_KEPT_DAYS = 7;

// Receipts
/** How long the public key stays published after a receipt signing key is retired. */
export const RECEIPT_KEYS_KEPT_DAYS = 400;

// Embed tokens
export const EMBED_TOKEN_SECONDS = 300;
export const EMBED_REFRESH_BEFORE_SECONDS = 60;
export const EMBED_SCOPES_MAX = 32;
export const EMBED_SCOPE_CHARS_MIN = 1;
export const EMBED_SCOPE_CHARS_MAX = 220;
export const EMBED_ORIGINS_MAX = 20;
export const EMBED_ORIGIN_CHARS_MIN = 1;
export const EMBED_ORIGIN_CHARS_MAX = 255;

// Idempotency
export const IDEMPOTENCY_TTL_MS_MIN = 60_000;
export const IDEMPOTENCY_TTL_MS_MAX = 604_800_000;
export const IDEMPOTENCY_TTL_MS_DEFAULT = 86_400_000;
export const IDEMPOTENCY_LOCK_MS = 30_000;
export const IDEMPOTENCY_STORED_BODY_BYTES_MAX = 262_144;
export const IDEMPOTENCY_BODY_CHARS_MAX = 6_291_456;
export const IDEMPOTENCY_LOCK_TOKEN_CHARS_MIN = 8;
export const IDEMPOTENCY_LOCK_TOKEN_CHARS_MAX = 64;
export const IDEMPOTENCY_HEADER_NAME_CHARS_MAX = 128;
export const IDEMPOTENCY_HEADER_VALUE_CHARS_MAX = 4_096;
// The maximum number of JSON values in a stored response; each header counts as one. Parsing
// hundreds of thousands would block other requests.
export const IDEMPOTENCY_VALUES_MAX = 10_000;
export const IDEMPOTENCY_STATUS_MIN = 100;
export const IDEMPOTENCY_STATUS_MAX = 599;

// Idempotency keys of requests to the control plane itself
export const REQUEST_KEY_CHARS_MAX = 255;
export const REQUEST_KEPT_HOURS = 24;
export const REQUEST_RETRY_AFTER_SECONDS = 1;

// Telemetry
export const INGEST_PROTOCOL_VERSION = 1;
export const INGEST_EVENTS_MAX = 5_000;
// The maximum number of JSON objects and of JSON values per batch, including unknown fields.
// Parsing millions would block other requests.
export const INGEST_OBJECTS_MAX = 100_000;
export const INGEST_VALUES_MAX = 250_000;
export const INGEST_BUDGET_EVENTS_DEFAULT = 120_000;
export const INGEST_WINDOW_SECONDS = 60;
export const INGEST_AHEAD_MS_MAX = 3_600_000;
export const INGEST_BATCH_KEPT_DAYS = 7;
export const INGEST_SHORT_CHARS_MAX = 200;
export const INGEST_PATH_CHARS_MAX = 16_384;
export const INGEST_STATUS_MIN = 100;
export const INGEST_STATUS_MAX = 999;
export const INGEST_DURATION_MS_MAX = 604_800_000;
// One sampled event can represent at most this many requests. Larger integers might not be exact.
export const INGEST_WEIGHT_MAX = Number.MAX_SAFE_INTEGER;

// Outbound events
export const WEBHOOK_ENDPOINTS_MAX = 20;
export const WEBHOOK_EVENTS_MAX = 50;
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const WEBHOOK_SECRET_BYTES = 32;
export const WEBHOOK_DELIVERY_KEPT_DAYS = 30;
// Notices are sent this many days before a key expires, and after this many days without use.
export const EXPIRY_NOTICE_DAYS = [14, 3, 1] as const;
export const UNUSED_NOTICE_DAYS = 90;

// Sessions, one-time tokens, caches, probes
export const SESSION_IDLE_HOURS = 12;
export const SESSION_ABSOLUTE_DAYS = 30;
export const VERIFICATION_HOURS = 24;
export const PASSWORD_RESET_HOURS = 1;
export const INVITE_DAYS = 7;
export const TOUCH_INTERVAL_MS = 60_000;
export const HOT_AUTH_MS_DEFAULT = 5_000;
export const READY_WAIT_MS = 3_000;
export const JWKS_MAX_AGE_SECONDS = 300;
