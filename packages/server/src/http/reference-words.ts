// What the reference says in its own words: credentials, groups and the statuses of refusals.
import type { Auth } from '@keyrail/protocol/endpoint.ts';
import type { endpointGroups } from '@keyrail/protocol/endpoints/all.ts';

export type Credential = { id: string; name: string; looks: string; means: string };

const secretKey: Credential = {
  id: 'secret-key',
  name: 'secret key',
  looks: '`krsk_live_…` or `krsk_test_…`',
  means:
    'The credential of your own backend. It belongs to one workspace and one environment, and ' +
    'acts with the role of whoever minted it. A revocation holds from the moment it is answered; ' +
    'only rate-limit checks and idempotency calls may rely on the key for a few seconds more.',
};

const session: Credential = {
  id: 'session',
  name: 'session',
  looks: '`krses_…`',
  means: 'A signed-in person. The active workspace is part of the session, never of the request.',
};

const embedToken: Credential = {
  id: 'embed-token',
  name: 'embed token',
  looks: 'a signed token of five minutes',
  means:
    'One customer of yours, in a browser. It reaches the keys of one tenant in one project and ' +
    'one environment, and only from the origins it names.',
};

const bootstrapToken: Credential = {
  id: 'bootstrap-token',
  name: 'bootstrap token',
  looks: 'what the operator configured',
  means: 'Founds workspaces, and does nothing else. Embedded, it lies in the data directory.',
};

const signature: Credential = {
  id: 'signature',
  name: 'signature',
  looks: 'two headers',
  means: 'No bearer: the exact bytes of the body are signed, and checked before they are parsed.',
};

const none: Credential = {
  id: 'no-credential',
  name: 'no credential',
  looks: 'nothing',
  means: 'Open to anyone. A credential that is sent along is not looked at.',
};

export const credentials = [secretKey, session, embedToken, bootstrapToken, signature, none];

/** Any one of these is accepted; every other kind is refused with 403. */
export const acceptedBy: Record<Auth, readonly Credential[]> = {
  none: [none],
  signature: [signature],
  vendor: [secretKey, session],
  session: [session],
  machine: [secretKey],
  machineHot: [secretKey],
  minting: [secretKey],
  embed: [embedToken],
  founder: [session, bootstrapToken],
};

/** One sentence for each group; a group without one does not compile. */
export const groupWords: Record<keyof typeof endpointGroups, string> = {
  Accounts: 'People: signing up, signing in, passwords, and joining a workspace.',
  Workspace: 'Your account. Everything else belongs to exactly one workspace.',
  Members: 'Who acts in the workspace, and who is invited to.',
  Projects: 'A project is one API that you protect.',
  Tenants: 'A tenant is one customer organisation of yours.',
  'API keys': 'What your customers hold: one project, one tenant, one environment.',
  'Secret keys': 'What your own backend holds to speak with this API.',
  'Embed tokens': 'Short-lived tokens that let a customer manage their own keys in a browser.',
  'Embed plane': 'What a browser may do with an embed token. All scope comes from the token.',
  'Policy feed': 'What a node needs to verify keys by itself, as a whole or as a difference.',
  'Rate limits': 'Counters that a fleet of nodes shares. A denial is an answer, not an error.',
  Idempotency: 'Who runs a retried request, who waits, and who gets the stored answer.',
  Telemetry: 'What nodes report about the requests they served.',
  Usage: 'Figures from telemetry, for billing and for knowing your customers.',
  Environments: 'A closed set of two. Only live traffic is billable.',
  Audit: 'Every change, in order, chained by hashes so that an edit shows.',
  Probes: 'For load balancers, monitors and verifiers. Not under `/v1`.',
  Scanner: 'Where a secret-scanning partner reports what it found.',
};

export const statusWords: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  304: 'Not modified',
  503: 'Unavailable',
};
