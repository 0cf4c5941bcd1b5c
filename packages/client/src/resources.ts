// The endpoints as methods: `client.keys.rotate(id)` is `POST /v1/keys/{id}/rotate`. The table
// names each endpoint once; arguments and results are derived from the endpoint's own types.
import type {
  Answer,
  Argument,
  DryRunEndpoint,
  Endpoint,
  Ids,
  Impact,
  Input,
  Page,
  PagedEndpoint,
  PagesLimit,
} from './types.ts';

// The rule: the path names the resource, and the method is `create` (POST), `list` or `get` (GET),
// `update` (PATCH), `delete` (DELETE) or the last word of the path (`rotate`, `usage`).
// `resources.test.ts` lists the names that differ, and checks that no endpoint is missing.
export const methods = {
  users: { create: 'POST /v1/auth/users' },
  sessions: {
    create: 'POST /v1/auth/sessions',
    list: 'GET /v1/auth/sessions',
    delete: 'DELETE /v1/auth/sessions/{id}',
    deleteCurrent: 'DELETE /v1/auth/sessions/current',
    switchWorkspace: 'POST /v1/auth/sessions/current/workspace',
  },
  me: {
    get: 'GET /v1/auth/me',
    update: 'PATCH /v1/auth/me',
    changePassword: 'POST /v1/auth/me/password',
  },
  emailVerifications: {
    create: 'POST /v1/auth/email_verifications',
    consume: 'POST /v1/auth/email_verifications/consume',
  },
  passwordResets: {
    create: 'POST /v1/auth/password_resets',
    consume: 'POST /v1/auth/password_resets/consume',
  },
  workspace: {
    create: 'POST /v1/workspaces',
    get: 'GET /v1/workspace',
    summary: 'GET /v1/workspace/summary',
    update: 'PATCH /v1/workspace',
  },
  members: {
    list: 'GET /v1/members',
    update: 'PATCH /v1/members/{userId}',
    delete: 'DELETE /v1/members/{userId}',
  },
  invites: {
    create: 'POST /v1/invites',
    list: 'GET /v1/invites',
    revoke: 'POST /v1/invites/{id}/revoke',
    preview: 'POST /v1/auth/invites/preview',
    accept: 'POST /v1/auth/invites/accept',
  },
  projects: {
    create: 'POST /v1/projects',
    list: 'GET /v1/projects',
    get: 'GET /v1/projects/{id}',
    update: 'PATCH /v1/projects/{id}',
    delete: 'DELETE /v1/projects/{id}',
  },
  tenants: {
    create: 'POST /v1/tenants',
    list: 'GET /v1/tenants',
    get: 'GET /v1/tenants/{id}',
    update: 'PATCH /v1/tenants/{id}',
    delete: 'DELETE /v1/tenants/{id}',
    revokeEmbedTokens: 'POST /v1/tenants/{id}/embed_tokens/revoke',
  },
  keys: {
    create: 'POST /v1/keys',
    import: 'POST /v1/keys/import',
    list: 'GET /v1/keys',
    counts: 'GET /v1/keys/counts',
    get: 'GET /v1/keys/{id}',
    update: 'PATCH /v1/keys/{id}',
    rotate: 'POST /v1/keys/{id}/rotate',
    revoke: 'POST /v1/keys/{id}/revoke',
    disable: 'POST /v1/keys/{id}/disable',
    enable: 'POST /v1/keys/{id}/enable',
    explain: 'POST /v1/keys/explain',
    usage: 'GET /v1/keys/{id}/usage',
  },
  secretKeys: {
    create: 'POST /v1/secret_keys',
    list: 'GET /v1/secret_keys',
    get: 'GET /v1/secret_keys/{id}',
    rotate: 'POST /v1/secret_keys/{id}/rotate',
    revoke: 'POST /v1/secret_keys/{id}/revoke',
  },
  embedTokens: { create: 'POST /v1/embed_tokens' },
  embed: {
    session: 'GET /v1/embed/session',
    keys: {
      create: 'POST /v1/embed/keys',
      list: 'GET /v1/embed/keys',
      rotate: 'POST /v1/embed/keys/{id}/rotate',
      revoke: 'POST /v1/embed/keys/{id}/revoke',
      usage: 'GET /v1/embed/keys/{id}/usage',
    },
  },
  policy: {
    snapshot: 'GET /v1/policy/snapshot',
    delta: 'GET /v1/policy/delta',
    nodes: 'GET /v1/policy/nodes',
    report: 'POST /v1/policy/report',
  },
  rateLimits: {
    check: 'POST /v1/ratelimit/check',
    lease: 'POST /v1/ratelimit/lease',
    return: 'POST /v1/ratelimit/return',
  },
  idempotency: {
    claim: 'POST /v1/idempotency/claim',
    complete: 'POST /v1/idempotency/complete',
    release: 'POST /v1/idempotency/release',
    heartbeat: 'POST /v1/idempotency/heartbeat',
  },
  ingest: { batch: 'POST /v1/ingest/batch' },
  usage: {
    billing: 'GET /v1/usage/billing',
    tenants: 'GET /v1/usage/tenants',
    keys: 'GET /v1/usage/keys',
    overview: 'GET /v1/usage/overview',
  },
  environments: { list: 'GET /v1/environments' },
  audit: {
    list: 'GET /v1/audit_logs',
    verifyChain: 'GET /v1/audit_logs/chain',
    anchor: 'GET /v1/audit_logs/anchor',
  },
  webhookEndpoints: {
    create: 'POST /v1/webhook_endpoints',
    list: 'GET /v1/webhook_endpoints',
    get: 'GET /v1/webhook_endpoints/{id}',
    update: 'PATCH /v1/webhook_endpoints/{id}',
    delete: 'DELETE /v1/webhook_endpoints/{id}',
    rotateSecret: 'POST /v1/webhook_endpoints/{id}/rotate_secret',
    test: 'POST /v1/webhook_endpoints/{id}/test',
    deliveries: 'GET /v1/webhook_endpoints/{id}/deliveries',
  },
  webhookDeliveries: { retry: 'POST /v1/webhook_deliveries/{id}/retry' },
  server: {
    deployment: 'GET /v1/deployment',
    health: 'GET /healthz',
    ready: 'GET /readyz',
    status: 'GET /status',
    jwks: 'GET /.well-known/jwks.json',
  },
  webhooks: { secretScanning: 'POST /v1/webhooks/scanner/secret_scanning' },
} as const satisfies Table;

type Table = { readonly [name: string]: Endpoint | Table };

/** A method for one endpoint: path parameters first, then query, body and options. */
export type Method<E extends Endpoint> = ((
  ...args: [...Ids<E>, ...Argument<Input<E>>]
) => Promise<Answer<E>>) &
  (E extends PagedEndpoint ? Paged<E> : unknown) &
  (E extends DryRunEndpoint ? DryRun<E> : unknown);

type DryRun<E extends DryRunEndpoint> = {
  /**
   * Asks what the call would affect. Refused as the call itself would be; changes nothing.
   *
   * @example
   * const { active_keys, requests_24h } = await client.tenants.delete.dryRun(id);
   */
  dryRun(...args: [...Ids<E>, ...Argument<Input<E>>]): Promise<Impact>;
};

type Paged<E extends PagedEndpoint> = {
  /**
   * Walks the list page by page. Breaking out of the loop sends no further request.
   *
   * @example
   * for await (const { items } of client.keys.list.pages({ query: { env: 'live' } })) {
   *   for (const key of items) console.log(key.display_prefix);
   * }
   */
  pages(...args: [...Ids<E>, ...Argument<Input<E> & PagesLimit>]): AsyncGenerator<Page<E>, void>;
};

type MethodsOf<T> = {
  readonly [K in keyof T]: T[K] extends Endpoint ? Method<T[K]> : MethodsOf<T[K]>;
};

/** Every endpoint as a method of its resource. */
export type Resources = MethodsOf<typeof methods>;

type Send = {
  call(endpoint: Endpoint, input: object): Promise<unknown>;
  pages(endpoint: Endpoint, input: object): AsyncGenerator<unknown, void>;
  dryRun(endpoint: Endpoint, input: object): Promise<unknown>;
};

/** Builds the methods; `send` calls an endpoint by its name. */
export function resourcesOver(send: Send): Resources {
  // The methods are built from the table from which the type is derived.
  return methodsOf(methods, send) as never;
}

const methodsOf = (table: Table, send: Send): object =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      typeof entry === 'string' ? methodFor(entry, send) : methodsOf(entry, send),
    ]),
  );

function methodFor(endpoint: Endpoint, send: Send): object {
  const names = Array.from(endpoint.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const inputOf = (args: readonly unknown[]): object => {
    const input = args[names.length];
    const params = Object.fromEntries(names.map((name, at) => [name, args[at]]));
    return { ...(typeof input === 'object' && input), params };
  };
  const call = (...args: unknown[]) => send.call(endpoint, inputOf(args));
  const pages = (...args: unknown[]) => send.pages(endpoint, inputOf(args));
  const dryRun = (...args: unknown[]) => send.dryRun(endpoint, inputOf(args));
  return Object.assign(call, { pages, dryRun });
}
