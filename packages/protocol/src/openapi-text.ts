// The texts of the OpenAPI document, in Markdown: the conventions of all endpoints, a sentence per
// group, and a description of each kind of credential.
import type { endpointGroups } from './endpoints/all.ts';
import type { JsonObject } from './json-schema.ts';
import { type Auth, accepts, type Credential } from './wire/auth.ts';
import { BODY_BYTES_MAX, JSON_DEPTH_MAX, REQUEST_KEPT_HOURS } from './wire/limits.ts';

export const MEBIBYTE = 1_048_576;

export const introduction = (url: string): string => `
Keyrail is a control plane for API keys that you issue to your customers and verify inside your own
process. This is the reference of its HTTP API at \`${url}\`.

## Conventions

- Bodies are JSON in UTF-8, at most ${BODY_BYTES_MAX / MEBIBYTE} MiB unless an endpoint says
  otherwise, and at most ${JSON_DEPTH_MAX} levels deep.
- Requests are validated strictly. Values are neither coerced nor trimmed, and an unknown field is
  an error. If every field is optional, the body may be omitted.
- Responses may gain fields: ignore fields that you do not know. A field without a value is present,
  as \`null\`.
- Ids are UUIDs. Timestamps in responses are UTC with milliseconds, as in
  \`2026-03-02T09:30:00.000Z\`; timestamps that you send need a \`Z\` or an offset.
- A list is \`{ "object": "list", "data": [ … ] }\`. If there is another page, a \`Link\` header
  has its URL. Rely on that header: a page of very large records may hold fewer than its \`limit\`.
  A cursor is opaque and works for its own list only.
- A request may name the workspace that it is meant for, in the header \`keyrail-workspace\`. If the
  credential works in another one, the response is 409 \`other_workspace\`, and nothing has run.
  Endpoints about a person's own account ignore the header.
- Every response carries \`x-request-id\`: yours, if you sent one, or a new one.

## Credentials

Send a credential as \`authorization: Bearer …\`. The API uses no cookies. Each endpoint lists the
kinds of credential that it accepts; any other kind is refused with 403.

## Roles

A **member** can read. An **admin** can also make changes. Only an **owner** can change members and
invitations. A secret key has the role of the person that created it. A key that was created or
rotated with another key never has a higher role than that key.

## Live and test

There are two environments. A live credential manages both. A test secret key can read test records,
the workspace, its projects and its tenants; it can create projects and tenants, and change test
records. Its lists contain no live records. It gets 403 for the id of a live record, for \`live\` in
a request, and for members, invitations and billing.

## Repeating a request

Send an \`Idempotency-Key\` with a POST that a secret key or a session may call, and repeat it with
the same key if no response arrives. It is carried out once. A repetition gets the first response,
with \`Idempotent-Replayed: true\` and without the secret that the first one contained: \`key\` or
\`token\` is absent, and \`key_shown_once\` or \`token_shown_once\` is \`false\`. Rotate the key if the first
response was lost. A key belongs to the credential that sent it and is kept for
${REQUEST_KEPT_HOURS} hours. With another path, query or body it is refused with 422; while the
first request is still running, with 409 and \`retry-after\`. Error responses are not kept.

## Errors

Every error response has the same body: \`code\` is for programs, \`message\` for people. \`details\`
lists the invalid fields, and \`missing_scopes\` the scopes that a token lacks; both are present only
when they apply. A 503 to a request other than GET has an \`outcome\`: \`not_done\` if nothing was
changed, or \`unknown\` if the change may have been made.

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

/** The type requires a description for each group. */
export const groupDescriptions: Record<keyof typeof endpointGroups, string> = {
  Accounts: 'People: signing up, signing in, passwords, and joining a workspace.',
  Workspace: 'Your account. Everything else belongs to exactly one workspace.',
  Members: 'The people in the workspace, and their invitations.',
  Projects: 'A project is one API that you protect.',
  Tenants: 'A tenant is one customer organisation of yours.',
  'API keys': 'The keys of your customers: one project, one tenant, one environment each.',
  'Secret keys': 'The credentials of your own backend.',
  'Embed tokens': 'Short-lived tokens that let a customer manage their own keys in a browser.',
  'Embed plane':
    'Key management from a browser. Project, tenant and environment come from the embed token.',
  'Policy feed': 'The data from which a node verifies keys locally, in full or as changes.',
  'Rate limits': 'Counters shared by all nodes. A denial is a 200 response, not an error.',
  Idempotency: 'Decides which of several identical requests runs, and stores its response.',
  Telemetry: 'Events in which nodes report the requests they served.',
  Usage: 'Figures from telemetry, for billing and for insight into your customers.',
  Environments: 'There are exactly two: `live` and `test`. Only live traffic is billable.',
  Audit: 'Every change, in order, in a hash chain that reveals later edits.',
  Events: 'Signed messages about every change, and before keys end, to endpoints of yours.',
  Deployment: 'The server itself, for pages that people see before they sign in.',
  Probes: 'For load balancers, monitors and verifiers of embed tokens. Not under `/v1`.',
  Scanner: 'The webhook of secret-scanning partners, which report leaked credentials.',
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
    'The credential of your own backend. It belongs to one workspace and one environment, and has ' +
      'the role of the person that created it. A revocation takes effect before it is confirmed; ' +
      'only rate-limit checks and idempotency calls may accept the key for a few seconds more.',
  ),
  session: bearer(
    '`krses_…`',
    'A signed-in person. The session determines the workspace; no request can name another.',
  ),
  embedToken: bearer(
    'a signed token, valid for five minutes',
    'One of your customers, in a browser. The token gives access to the keys of one tenant in ' +
      'one project and one environment, and works only on the origins in its audience.',
  ),
  bootstrapToken: bearer(
    'set by the operator',
    'Creates workspaces and has no other use. With the embedded store, the token is in the data ' +
      'directory.',
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

/** Any one of the schemes is enough. */
export const securityOf = (auth: Auth): JsonObject[] =>
  accepts[auth].map((credential) => ({ [schemeOf[credential]]: [] }));
