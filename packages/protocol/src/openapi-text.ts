// The prose of the OpenAPI document: what holds for every endpoint, one sentence for each group,
// and one for each kind of credential. Markdown, so that any reader of OpenAPI can show it.
import type { Auth } from './endpoint.ts';
import type { endpointGroups } from './endpoints/all.ts';
import type { JsonObject } from './json-schema.ts';
import { BODY_BYTES_MAX, JSON_DEPTH_MAX } from './limits.ts';

export const MEBIBYTE = 1_048_576;

export const introduction = (url: string): string => `
Keyrail is a control plane for API keys that you issue to your customers and verify inside your own
process. This is its whole HTTP interface at \`${url}\`.

## Conventions

- Bodies are JSON in UTF-8, at most ${BODY_BYTES_MAX / MEBIBYTE} MiB unless an endpoint says
  otherwise, and at most ${JSON_DEPTH_MAX} levels deep.
- Requests are validated strictly. Nothing is coerced or trimmed, and an unknown field is refused by
  name. Where every field is optional, the body may be left out.
- Responses may gain fields: ignore those that you do not know. A field without a value is present,
  as \`null\`.
- Ids are UUIDs. Timestamps in responses are UTC with milliseconds, as in
  \`2026-03-02T09:30:00.000Z\`; timestamps that you send need a \`Z\` or an offset.
- A list is \`{ "object": "list", "data": [ … ] }\`. When there is another page, a \`Link\` header
  names it. Rely on that header: a page of very large records may hold fewer than its \`limit\`. A
  cursor is opaque and works for its own list only.
- Every response carries \`x-request-id\`: yours, if you sent one, or a new one.

## Credentials

A credential is sent as \`authorization: Bearer …\`. The API sets and reads no cookies. Each endpoint
names the kinds it accepts; any other kind is refused with 403.

## Roles

A **member** reads. An **admin** also changes things. Only an **owner** changes members and
invitations. A secret key acts with the role of the person who created it, and a key that was created
or rotated with another key never gets more than that key had.

## Live and test

There are two environments. A live credential manages both. A test secret key reads test records, the
workspace, its projects and its tenants; it creates projects and tenants, and changes test records
only. Its lists contain no live records. It gets 403 for a live record's id, for \`live\` in a request,
and for members, invitations and billing.

## Errors

Every refusal has the same body: \`code\` is for programs, \`message\` for people. \`details\` names
each refused field and \`missing_scopes\` what a token lacks; both are present only when they apply.

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

/** One sentence for each group; a group without one does not compile. */
export const groupDescriptions: Record<keyof typeof endpointGroups, string> = {
  Accounts: 'People: signing up, signing in, passwords, and joining a workspace.',
  Workspace: 'Your account. Everything else belongs to exactly one workspace.',
  Members: 'The people of the workspace, and open invitations.',
  Projects: 'A project is one API that you protect.',
  Tenants: 'A tenant is one customer organisation of yours.',
  'API keys': 'The keys of your customers: one project, one tenant, one environment each.',
  'Secret keys': 'The credentials of your own backend.',
  'Embed tokens': 'Short-lived tokens that let a customer manage their own keys in a browser.',
  'Embed plane': 'What a browser may do with an embed token. All scope comes from the token.',
  'Policy feed': 'What a node needs to verify keys by itself, in full or as a difference.',
  'Rate limits': 'Counters that a fleet of nodes shares. A denial is a response, not an error.',
  Idempotency: 'Decides which of several identical requests runs, and stores its response.',
  Telemetry: 'What nodes report about the requests they served.',
  Usage: 'Figures from telemetry, for billing and for knowing your customers.',
  Environments: 'A closed set of two. Only live traffic is billable.',
  Audit: 'Every change, in order, chained by hashes so that an edit shows.',
  Probes: 'For load balancers, monitors and verifiers. Not under `/v1`.',
  Scanner: 'Where a secret-scanning partner reports leaked credentials.',
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
      'acts with the role of the person who created it. A revocation holds from the moment it is ' +
      'answered; only rate-limit checks and idempotency calls may accept the key a few seconds ' +
      'longer.',
  ),
  session: bearer(
    '`krses_…`',
    'A signed-in person. The active workspace is part of the session, never of the request.',
  ),
  embedToken: bearer(
    'a signed token of five minutes',
    'One customer of yours, in a browser. It reaches the keys of one tenant in one project and ' +
      'one environment, and only from the origins it names.',
  ),
  bootstrapToken: bearer(
    'what the operator configured',
    'Creates workspaces, and does nothing else. With the embedded store it is in the data ' +
      'directory.',
  ),
  scannerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Scanner-Public-Key-Signature',
    description: 'A signature over the exact bytes of the body, checked before they are parsed.',
  },
};

/** The schemes that each kind of endpoint accepts; any one of them is enough. */
export const securityOf: Record<Auth, JsonObject[]> = {
  none: [],
  signature: [{ scannerSignature: [] }],
  vendor: [{ secretKey: [] }, { session: [] }],
  session: [{ session: [] }],
  machine: [{ secretKey: [] }],
  machineHot: [{ secretKey: [] }],
  minting: [{ secretKey: [] }],
  embed: [{ embedToken: [] }],
  founder: [{ bootstrapToken: [] }, { session: [] }],
};
