// The IDs and tags of operations in the OpenAPI document. Both follow the client's methods:
// `keys.rotate` is `rotateKey` with the tag `keys`. Generated clients use these names, so they must
// not change.
import { type Endpoint, splitLine } from './endpoint.ts';
import { allEndpoints } from './endpoints/all.ts';
import { methods } from './wire/methods.ts';

type Tag = keyof typeof methods;
type Table = { readonly [name: string]: string | Table };

/** Operation IDs that don't follow the rule, because the regular ID would read badly. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'audit.list': 'listAuditLogs',
  'ingest.batch': 'ingestBatch',
  'me.changePassword': 'changeMyPassword',
  'search.find': 'searchWorkspace',
  'secretKeys.getCurrent': 'getCurrentSecretKey',
  'sessions.deleteCurrent': 'deleteCurrentSession',
  'webhooks.secretScanning': 'receiveSecretScanning',
};

/** Object names that differ from the name of their resource in the client. */
const OBJECTS: Readonly<Record<string, string>> = { idempotency: 'idempotencyKey' };

/**
 * The verbs that a client method for a GET endpoint can start with. Any other first word describes
 * the result.
 */
const READING = ['get', 'list', 'verify'];

const pathsIn = (table: Table, before: readonly string[] = []): [string, readonly string[]][] =>
  Object.entries(table).flatMap(([name, entry]) =>
    typeof entry === 'string'
      ? [[entry, [...before, name]] as [string, readonly string[]]]
      : pathsIn(entry, [...before, name]),
  );

const paths = new Map(pathsIn(methods));
const endpoints: Readonly<Record<string, Endpoint>> = allEndpoints;

function pathOf(line: string): readonly string[] {
  const path = paths.get(line);
  if (!path) throw new Error(`no client method for ${line}`);
  return path;
}

/** Returns the client resource that the endpoint belongs to. */
export const tagOf = (line: string): string => pathOf(line)[0] ?? '';

/**
 * Returns an endpoint's operation ID: its client method's verb, the object, and the method's other
 * words.
 */
export function operationId(line: string): string {
  const path = pathOf(line);
  const exception = EXCEPTIONS[path.join('.')];
  if (exception) return exception;
  const [verb = '', ...rest] = verbFirst(line, path.at(-1) ?? '');
  const isPlural = rest.length === 0 && (verb === 'list' || verb === 'import');
  const resources = path.slice(0, -1);
  const objects = resources.map((name, at) =>
    isPlural && at === resources.length - 1 ? name : oneOf(OBJECTS[name] ?? name),
  );
  return verb + [...objects, ...rest].map(capitalised).join('');
}

function verbFirst(line: string, method: string): string[] {
  const words = method.split(/(?=[A-Z])/);
  const isVerb = splitLine(line).method !== 'GET' || READING.includes(words[0] ?? '');
  if (isVerb) return words;
  return [endpoints[line]?.list ? 'list' : 'get', method];
}

const oneOf = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns an event's operation ID: `api_key.revoked` is `onApiKeyRevoked`. */
export const eventOperationId = (type: string): string =>
  `on${type.split(/[._]/).map(capitalised).join('')}`;

/** The type ensures that every tag has a description. */
export const tagDescriptions: Readonly<Record<Tag, string>> = {
  users: 'User accounts.',
  sessions: 'Signing in and out.',
  me: 'The account of the signed-in user.',
  emailVerifications: 'Proof that an email address belongs to a user.',
  passwordResets: 'New passwords by email.',
  workspace: "The credential's workspace.",
  members: 'The members of the workspace.',
  invites: 'Invitations to the workspace.',
  projects: 'The APIs you protect.',
  tenants: 'Your customers.',
  keys: "Your customers' API keys.",
  secretKeys: 'Credentials for your own backend.',
  embedTokens: 'Tokens that let a customer manage keys in a browser.',
  embed: 'Key management from a browser.',
  policy: 'The data nodes use to verify keys, and the nodes.',
  rateLimits: 'Counters shared by all nodes.',
  idempotency: 'Coordination of retried requests.',
  ingest: 'Telemetry from nodes.',
  usage: 'Metrics from telemetry.',
  environments: '`live` and `test`.',
  search: 'Everything in the workspace, by name or ID.',
  audit: 'Every change, in a hash chain.',
  webhookEndpoints: 'Your webhook endpoints.',
  webhookDeliveries: 'Deliveries of events to your endpoints.',
  server: "The deployment's state, settings and public keys.",
  webhooks: 'Reports from secret-scanning partners.',
};
