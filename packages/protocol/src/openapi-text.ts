// The OpenAPI document's prose, in Markdown: conventions for all endpoints, and descriptions of
// each group of endpoints and each kind of credential.
import type { endpointGroups } from './endpoints/all.ts';
import type { JsonObject } from './json-schema.ts';
import { type Auth, accepts, type Credential } from './wire/auth.ts';
import { BODY_BYTES_MAX, JSON_DEPTH_MAX, REQUEST_KEPT_HOURS } from './wire/limits.ts';
import { profiles } from './wire/permissions.ts';

export const MEBIBYTE = 1_048_576;

export const introduction = (url: string): string => `
Keyrail is a control plane for API keys that you issue to your customers and verify inside your own
processes. This is the reference for its HTTP API at \`${url}\`.

## Conventions

- Bodies are JSON in UTF-8, at most ${BODY_BYTES_MAX / MEBIBYTE} MiB unless an endpoint says
  otherwise, and at most ${JSON_DEPTH_MAX} levels deep.
- Requests are validated strictly: values are never coerced or trimmed, and unknown fields are
  errors. If every field is optional, you can omit the body.
- New fields may be added to responses, so ignore fields you do not know. Fields without a value are
  present, as \`null\`.
- IDs are UUIDs. Timestamps in responses are in UTC with milliseconds, as in
  \`2026-03-02T09:30:00.000Z\`; timestamps you send need a \`Z\` or an offset.
- A list is \`{ "object": "list", "data": [ … ] }\`. If there is another page, a \`Link\` header
  has its URL. Rely on that header: a page of very large records may hold fewer than its \`limit\`.
  Cursors are opaque and only work for the list they came from.
- A request can name its intended workspace in the \`keyrail-workspace\` header. If the credential
  belongs to another workspace, the response is 409 \`other_workspace\` and nothing happens.
  Endpoints for your own account ignore the header.
- Every response has an \`x-request-id\`: yours, if you sent one, or a new one.

## Credentials

Send a credential as \`authorization: Bearer …\`. The API does not use cookies. Each endpoint lists
the kinds of credential it accepts; any other kind gets 403.

## Roles

A **member** can read. An **admin** can also make changes. Only an **owner** can change members and
invitations. A secret key has the role of the member that created it. A key created or rotated using
another key never has a higher role than that key.

## Permissions

A secret key can be limited to permissions, to projects and to networks. Each endpoint names the one
permission it needs; none includes another. A key without it gets 403 with \`missing_permissions\`,
before the path, query and body are read. Outside its projects, a key gets 404 and its lists contain
nothing; from any other network, it gets 403 \`network_not_allowed\`. A key can only create, rotate,
change or revoke keys within its own limits, and a limit is never lifted.

| Profile | Permissions |
|---|---|
${Object.entries(profiles)
  .map(([name, held]) => `| \`${name}\` | ${held.map((one) => `\`${one}\``).join(' ')} |`)
  .join('\n')}

## Live and test

There are two environments. A live credential manages both. A test secret key can read test records,
the workspace, its projects and its tenants; it can create projects and tenants, and change test
records. Its lists contain no live records. It gets 403 for the ID of a live record, for \`live\` in
a request, and for members, invitations and billing.

## Retrying a request

Send an \`Idempotency-Key\` with any POST that accepts a secret key or a session. If you get no
response, send the request again with the same key: it is carried out only once, and a retry gets
the first response, with \`Idempotent-Replayed: true\` and without the secret it contained: \`key\`
or \`token\` is absent, and \`key_shown_once\` or \`token_shown_once\` is \`false\`. If the first
response was lost, rotate the key. An idempotency key belongs to the credential that sent it and is
kept for ${REQUEST_KEPT_HOURS} hours. With a different path, query or body, the response is 422;
while the first request is still running, 409 with \`retry-after\`. Error responses are not kept.

## Errors

Every error response has the same body: \`code\` is for programs, \`message\` for people. \`details\`
lists the invalid fields, \`missing_scopes\` the scopes that a token lacks, and
\`missing_permissions\` the permissions that a secret key lacks; each is only present when it
applies. A 503 to a request other than GET has an \`outcome\`: \`not_done\` if
nothing was changed, or \`unknown\` if the change may have gone through.

\`\`\`json
${JSON.stringify(sampleRefusal, null, 2)}
\`\`\`
`;

const sampleRefusal = {
  error: {
    code: 'invalid_request',
    message: 'The request body is not valid.',
    details: [{ path: 'expire_at', message: 'Unknown field.' }],
  },
};

/** The type ensures that every group has a description. */
export const groupDescriptions: Record<keyof typeof endpointGroups, string> = {
  Accounts: 'Signing up, signing in, passwords, and joining a workspace.',
  Workspace: 'Your company in Keyrail. Everything else belongs to exactly one workspace.',
  Members: "The workspace's members and invitations.",
  Projects: 'A project is one API you protect.',
  Tenants: 'A tenant is one of your customers.',
  'API keys': "Your customers' keys. Each belongs to one project, one tenant and one environment.",
  'Secret keys': 'Credentials for your own backend.',
  'Embed tokens': 'Short-lived tokens that let a customer manage their own keys in a browser.',
  'Embed API':
    'Key management from a browser. Project, tenant and environment come from the embed token.',
  'Policy feed': 'The data nodes use to verify keys locally, in full or as changes.',
  'Rate limits': 'Counters shared by all nodes. A denial is a 200 response, not an error.',
  Idempotency: 'Decides which of several identical requests runs, and stores its response.',
  Telemetry: 'How nodes report the requests they have handled.',
  Usage: 'Metrics from telemetry, for billing and for insight into your customers.',
  Environments: 'There are exactly two: `live` and `test`. Only live traffic is billable.',
  Search: 'Finds keys, tenants, projects, secret keys, members and nodes by a part of their name.',
  Audit: 'Every change, in order, in a hash chain that reveals later edits.',
  Events: 'Signed messages sent to your endpoints about every change, and before keys expire.',
  Deployment: 'The server itself, for pages shown before sign-in.',
  Probes: 'For load balancers, monitors and verifiers of embed tokens. Not under `/v1`.',
  Scanner: 'The webhook that secret-scanning partners call to report leaked credentials.',
};

const bearer = (bearerFormat: string, description: string) => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat,
  description,
});

export const securitySchemes = {
  secretKey: bearer(
    '`krsk_live_…` or `krsk_test_…`',
    'The credential of your own backend. It belongs to one workspace and one environment, and ' +
      'has the role of the member that created it. A revocation takes effect before the response ' +
      'is sent; only rate-limit checks and idempotency calls may accept the key for a few seconds ' +
      'longer.',
  ),
  session: bearer(
    '`krses_…`',
    'A signed-in member. The session determines the workspace; no request can choose another one.',
  ),
  embedToken: bearer(
    'a signed token, valid for 5 minutes',
    'One of your customers, in a browser. The token gives access to the keys of one tenant in ' +
      'one project and one environment, and only works on the origins in its audience.',
  ),
  bootstrapToken: bearer(
    'set by the operator',
    'Can only create workspaces. With the embedded store, it is in the data directory.',
  ),
  scannerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Scanner-Public-Key-Signature',
    description: 'A signature over the exact bytes of the body, checked before they are parsed.',
  },
};

const schemeOf: Record<Credential, keyof typeof securitySchemes> = {
  secret_key: 'secretKey',
  session: 'session',
  embed: 'embedToken',
  bootstrap: 'bootstrapToken',
  signature: 'scannerSignature',
};

/** Returns the security schemes that an endpoint accepts; any one of them is enough. */
export const securityOf = (auth: Auth): JsonObject[] =>
  accepts[auth].map((credential) => ({ [schemeOf[credential]]: [] }));
