// The endpoints that this build serves, each with its fixture.
import { type Endpoint, isSafe, type Line, pathParams } from '@keyrail/protocol/endpoint.ts';
import { type AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { noThrottle } from '@keyrail/server/access/throttle.ts';
import { servedRoutes } from '@keyrail/server/routes.ts';
import { createPolicyHub } from '@keyrail/server/volatile/policy-hub.ts';
import { z } from 'zod';
import { type Fixture, fixtures } from './fixtures.ts';

const isLine = (line: string): line is AnyLine => line in allEndpoints;

const never = (): never => {
  throw new Error('the laws only read the route table');
};

/** The app's route table. The parts are placeholders, because no route is ever called. */
export const routeTable = servedRoutes({
  backup: { everyMs: null, place: null },
  region: 'law',
  mail: { kind: 'file' },
  redis: () => ({ configured: false, ready: false, error: null }),
  hasher: { hash: never, verify: never, runs: never, unusedHash: '' },
  throttle: noThrottle,
  passwordCharsMin: 12,
  signupPolicy: 'open',
  workspacesPerPersonMax: 1,
  invitesPerHourMax: 1,
  policyPageKeysMax: 1,
  feedFeatures: [],
  revokeWaitMsMax: 0,
  ingestEventsPerMinute: 1,
  usageHoursKeptDays: 1,
  randomBytes: never,
  responseSealing: { seal: never, unseal: never },
  idempotencyBytesMax: 1,
  webhookSealing: { seal: never, unseal: never },
  webhookTargets: {
    hostNames: { takePlace: never, addressesOf: never },
    allowPrivate: true,
  },
  sendWebhookTest: never,
  tenantMonthsMax: 1,
  hub: createPolicyHub({ heldPollsMax: 1 }),
  signingKeys: { verifying: never, signing: never, published: never },
  makeFirstSigningKey: never,
  signReceipt: never,
  signFeed: never,
  newId: never,
  publicUrl: 'http://law.test',
  scannerKeys: { isConfigured: true, find: never },
});

export const served: AnyLine[] = routeTable
  .map(({ line }) => line)
  .filter((line: Line) => isLine(line));

export const endpointOf = (line: AnyLine): Endpoint => allEndpoints[line];

export function fixtureOf(line: AnyLine): Fixture {
  const fixture = fixtures[line];
  if (!fixture) throw new Error(`${line} has no fixture in tests/laws/fixtures.ts`);
  return fixture;
}

export const isOpen = (line: AnyLine): boolean =>
  ['none', 'signature'].includes(endpointOf(line).auth);

export const isWrite = (line: AnyLine): boolean => !isSafe(line, endpointOf(line));

/** A GET takes its input from the query; any other method may have a body. */
export const isGet = (line: AnyLine): boolean => line.startsWith('GET ');

/**
 * A valid value for each ID that an endpoint requires, for tests where the value doesn't matter.
 */
export const anyIds = (line: AnyLine): Record<string, string> =>
  Object.fromEntries([
    ...[...pathParams(line), ...requiredIds(endpointOf(line))].map((name) => [
      name,
      '01890000-0000-7000-8000-000000000000',
    ]),
    ...requiredChoices(endpointOf(line)),
    ...requiredTexts(endpointOf(line)),
  ]);

/** IDs that an endpoint's query requires. */
const requiredIds = ({ query }: Endpoint): string[] =>
  Object.keys(query?.shape ?? {}).filter(
    (name) => /^(.*_)?id$/.test(name) && !query?.shape[name]?.safeParse(undefined).success,
  );

/** The text that a search requires; any text will do. */
const requiredTexts = ({ query }: Endpoint): [string, string][] =>
  query?.shape.q?.safeParse(undefined).success === false ? [['q', 'anything']] : [];

/** The first allowed value of each enum that the query requires. */
const requiredChoices = ({ query }: Endpoint): [string, string][] =>
  Object.entries(query?.shape ?? {}).flatMap(([name, schema]): [string, string][] =>
    schema instanceof z.ZodEnum ? [[name, String(schema.options[0])]] : [],
  );
