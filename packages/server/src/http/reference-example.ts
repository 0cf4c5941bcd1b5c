// Examples of the reference, made from the schemas: a curl for every endpoint, and its answer.
import { type Endpoint, splitLine } from '@keyrail/protocol/endpoint.ts';
import type { Components, JsonObject } from '@keyrail/protocol/json-schema.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';
import { type Place, SAMPLE_TIME, sampleAt } from './reference-samples.ts';
import { arrayItems, objectsIn, propertiesOf, withoutNull } from './reference-schema.ts';

type Sampling = Pick<Place, 'line'> & {
  components: Components;
  /** Optional fields that are shown all the same. */
  isShown(field: Omit<Place, 'line'>): boolean;
};

/** Optional fields of a body that make its example more telling. */
const tellingFields = new Set(['name', 'scopes', 'reason', 'overlap_hours', 'embed_origins']);

export const sampleBody = (schema: JsonObject, line: string, components: Components): unknown =>
  sample(schema, { line, components, isShown: ({ name }) => tellingFields.has(name) }, TOP);

/** Of what an answer need not hold, only what has an example of its own. */
export const sampleAnswer = (schema: JsonObject, line: string, components: Components): unknown =>
  sample(schema, { line, components, isShown: (spot) => isTold(line, spot) }, TOP);

type Spot = Omit<Place, 'line'>;

const TOP: Spot = { kind: '', path: '', name: '' };

const isTold = (line: string, spot: Spot): boolean => sampleAt({ line, ...spot }) !== undefined;

function sample(schema: JsonObject, sampling: Sampling, spot: Spot): unknown {
  const { shape, isNullable } = withoutNull(schema, sampling.components);
  if (shape.const !== undefined) return shape.const;
  const told = spot.name === '' ? undefined : sampleAt({ line: sampling.line, ...spot });
  if (told !== undefined) return told;
  if (isNullable) return null;
  if (shape.default !== undefined) return shape.default;
  if (Array.isArray(shape.enum)) return shape.enum[0];
  const items = arrayItems(shape);
  if (items) return [sample(items, sampling, { ...spot, name: '' })];
  const [variant] = objectsIn(shape.oneOf);
  if (variant) return sample(variant, sampling, spot);
  if (shape.type === 'object') return sampleObject(shape, sampling, spot);
  return plainSample(shape);
}

function sampleObject(shape: JsonObject, sampling: Sampling, spot: Spot): JsonObject {
  const kind = kindOf(shape) ?? spot.kind;
  const required = Array.isArray(shape.required) ? shape.required : [];
  const prefix = spot.path === '' ? '' : `${spot.path}.`;
  const members: JsonObject = {};
  for (const [name, property] of propertiesOf(shape)) {
    const inside = { kind, path: `${prefix}${name}`, name };
    if (!required.includes(name) && !sampling.isShown(inside)) continue;
    members[name] = sample(property, sampling, inside);
  }
  return members;
}

/** Objects say what they are in `object`; a rate limit is told by its algorithm. */
function kindOf({ properties }: JsonObject): string | null {
  if (!isJsonObject(properties)) return null;
  if ('algorithm' in properties) return 'rate_limit';
  const { object } = properties;
  return isJsonObject(object) && typeof object.const === 'string' ? object.const : null;
}

function plainSample({ type, format, minimum }: JsonObject): unknown {
  if (format === 'date-time') return SAMPLE_TIME;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  return 'text';
}

type Call = { line: string; endpoint: Endpoint; url: string; query: string[]; body: unknown };

const bearers: Record<Endpoint['auth'], string | null> = {
  none: null,
  signature: null,
  vendor: 'SECRET_KEY',
  machine: 'SECRET_KEY',
  machineHot: 'SECRET_KEY',
  minting: 'SECRET_KEY',
  session: 'SESSION',
  embed: 'EMBED_TOKEN',
  founder: 'BOOTSTRAP_TOKEN',
};

/** A command that works as pasted, once the variables in it are set. */
export function curlFor({ line, endpoint, url, query, body }: Call): string {
  const { method, path } = splitLine(line);
  const bearer = bearers[endpoint.auth];
  const isDeclared = method !== (body === undefined ? 'GET' : 'POST');
  const target = `${url}${path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${shellName(name)}`)}`;
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  return [
    `curl ${isDeclared ? `-X ${method} ` : ''}${search ? `"${target}${search}"` : target}`,
    ...(bearer ? [`-H "authorization: Bearer $${bearer}"`] : []),
    ...ownHeaders(endpoint),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

const ownHeaders = ({ auth, headers = {} }: Endpoint): string[] => {
  if (auth === 'embed') return [`-H 'origin: https://app.example.com'`];
  if (auth !== 'signature') return [];
  return Object.keys(headers).map((name) => `-H "${name.toLowerCase()}: $${shellName(name)}"`);
};

/** `userId` → `USER_ID`, `Scanner-Public-Key-Identifier` → `SCANNER_PUBLIC_KEY_IDENTIFIER`. */
const shellName = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

const ONE_LINE_CHARS_MAX = 60;

function quoted(body: unknown): string {
  const short = JSON.stringify(body);
  const text = short.length > ONE_LINE_CHARS_MAX ? indented(body) : short;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Indented for reading; a list of one text stays on its line. */
const indented = (body: unknown): string =>
  JSON.stringify(body, null, 2).replaceAll(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]');
