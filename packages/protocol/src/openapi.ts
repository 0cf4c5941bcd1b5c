// The OpenAPI document, derived from the endpoint maps so that it cannot disagree with the server.
import { type Endpoint, pathParams, requiresItsHeaders, splitLine } from './endpoint.ts';
import { endpointGroups } from './endpoints/all.ts';
import { errorCodes, wireCode } from './error-codes.ts';
import { type Components, type JsonObject, jsonSchemaOf } from './json-schema.ts';
import { ErrorBody } from './objects/error-body.ts';

const groups: Record<string, Record<string, Endpoint>> = endpointGroups;

/** An OpenAPI 3.1 document for a server reachable at `url`. */
export function buildOpenApi({ url, version }: { url: string; version: string }): JsonObject {
  const components: Components = {};
  const errorSchema = jsonSchemaOf(ErrorBody, 'output', components);
  const paths: Record<string, JsonObject> = {};

  for (const [tag, group] of Object.entries(groups)) {
    for (const [line, endpoint] of Object.entries(group)) {
      const { method, path } = splitLine(line);
      const item = paths[path] ?? {};
      item[method.toLowerCase()] = operation(line, { ...endpoint, tag }, components);
      paths[path] = item;
    }
  }

  return {
    openapi: '3.1.1',
    info: {
      title: 'Keyrail',
      version,
      description: 'Control plane for API keys that are verified inside your own process.',
    },
    servers: [{ url }],
    tags: Object.keys(groups).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      responses: refusals(errorSchema),
      schemas: components,
    },
  };
}

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });

const securitySchemes = {
  secretKey: bearer('A secret key, `krsk_…`.'),
  session: bearer('A session token, `krses_…`.'),
  embedToken: bearer('An embed token, sent from one of its origins.'),
  bootstrapToken: bearer('The token that the operator configured for founding workspaces.'),
};

const security: Record<Endpoint['auth'], JsonObject[]> = {
  none: [],
  signature: [],
  vendor: [{ secretKey: [] }, { session: [] }],
  session: [{ session: [] }],
  machine: [{ secretKey: [] }],
  machineHot: [{ secretKey: [] }],
  minting: [{ secretKey: [] }],
  embed: [{ embedToken: [] }],
  founder: [{ session: [] }, { bootstrapToken: [] }],
};

function operation(
  line: string,
  endpoint: Endpoint & { tag: string },
  components: Components,
): JsonObject {
  const parameters = [
    ...pathParams(line).map(pathParameter),
    ...queryParameters(endpoint, components),
    ...headerParameters(endpoint),
  ];
  const requestBody = requestBodyOf(endpoint, components);
  return {
    operationId: operationId(line),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    security: security[endpoint.auth],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...answersOf(endpoint, components), ...refusalsOf(line, endpoint) },
  };
}

/** `POST /v1/keys/{id}/rotate` becomes `postKeysByIdRotate`. */
export function operationId(line: string): string {
  const { method, path } = splitLine(line);
  const words = path
    .replace(/^\/v1\//, '')
    .replaceAll('{', 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map(capitalised).join('');
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const pathParameter = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
});

function queryParameters({ query }: Endpoint, components: Components): JsonObject[] {
  return Object.entries(query?.shape ?? {}).map(([name, type]) => {
    const { description, ...schema } = jsonSchemaOf(type, 'input', components);
    return {
      name,
      in: 'query',
      required: !query?.shape[name]?.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

const headerParameters = (endpoint: Endpoint): JsonObject[] =>
  Object.entries(endpoint.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: requiresItsHeaders(endpoint),
    description,
    schema: { type: 'string' },
  }));

function requestBodyOf(
  { body, rawBody, bodyOptional }: Endpoint,
  components: Components,
): JsonObject | null {
  const described = body === 'raw' ? rawBody : body;
  if (!described) return null;
  const schema = jsonSchemaOf(described, 'input', components);
  return { required: !bodyOptional, content: { 'application/json': { schema } } };
}

function answersOf(endpoint: Endpoint, components: Components): JsonObject {
  const answers = Object.entries(endpoint.answers).map(([status, type]) => {
    const schema = type && jsonSchemaOf(type, 'output', components);
    const answer = {
      description: statusWords[status] ?? 'Success',
      ...headersOf(endpoint),
      ...(schema && { content: { 'application/json': { schema } } }),
    };
    return [status, answer];
  });
  return Object.fromEntries(answers);
}

function headersOf({ list, answers }: Endpoint): { headers?: JsonObject } {
  if (list) return { headers: nextPageHeader };
  return '304' in answers ? { headers: etagHeader } : {};
}

const statusWords: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  304: 'Nothing changed; no body',
  503: 'Not ready',
};

const nextPageHeader = {
  Link: {
    description: 'The next page, as `<url>; rel="next"`. Absent on the last page.',
    schema: { type: 'string' },
  },
};

const etagHeader = {
  ETag: {
    description: 'What was asked for and the version of the answer, as a weak tag.',
    schema: { type: 'string' },
  },
};

/** Which refusals a caller should expect, beyond the catch-all. */
function refusalsOf(line: string, endpoint: Endpoint): JsonObject {
  const { auth, query, body } = endpoint;
  const hasPath = pathParams(line).length > 0;
  const statuses = [
    ...(query || body || hasPath ? [400] : []),
    ...(auth !== 'none' ? [401] : []),
    ...(auth !== 'none' && auth !== 'signature' ? [403] : []),
    ...(hasPath ? [404] : []),
    ...(body ? [413] : []),
    ...(body && !endpoint.anyContentType ? [415] : []),
    // Whoever needs no credential is told when he asks too often.
    ...(endpoint.budgeted || (auth === 'none' && body) ? [429] : []),
  ];
  const named = statuses.map((status) => [status, refusalRef(String(status))]);
  return { ...Object.fromEntries(named), default: refusalRef('Other') };
}

const refusalRef = (name: string) => ({ $ref: `#/components/responses/Refused${name}` });

/** One response per status, naming the codes it can carry. */
function refusals(schema: JsonObject): JsonObject {
  const content = { 'application/json': { schema } };
  const responses: Record<string, { description: string; content: JsonObject }> = {
    RefusedOther: { description: 'Any other refusal.', content },
  };
  for (const [code, { status, message }] of errorEntries()) {
    const name = `Refused${status}`;
    const note = `\`${code}\`: ${message}`;
    const before = responses[name]?.description;
    responses[name] = { description: before ? `${before}\n\n${note}` : note, content };
  }
  return responses;
}

const errorEntries = () =>
  Object.entries(errorCodes).map(([code, refusal]) => [wireName(code), refusal] as const);

const wireName = (code: string): string => (code === 'invalid_embed_token' ? wireCode(code) : code);
