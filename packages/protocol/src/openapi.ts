// Generates the OpenAPI document from the endpoint maps, so that it always matches the server.
import type { z } from 'zod';
import {
  acceptsRequestKey,
  type Endpoint,
  isSafe,
  pathParams,
  querySchemaOf,
  refusalStatuses,
  requiresItsHeaders,
  splitLine,
} from './endpoint.ts';
import { endpointGroups } from './endpoints/all.ts';
import { type Components, type JsonObject, jsonSchemaOf } from './json-schema.ts';
import { ErrorBody } from './objects/error-body.ts';
import { Impact } from './objects/impact.ts';
import { exampleBody, exampleResponse } from './openapi-examples.ts';
import {
  groupDescriptions,
  introduction,
  MEBIBYTE,
  securityOf,
  securitySchemes,
} from './openapi-text.ts';
import { webhooksOf } from './openapi-webhooks.ts';
import { operationId, tagDescriptions, tagOf } from './operation-names.ts';
import { errorCodes, wireCode } from './wire/error-codes.ts';
import { REQUEST_KEPT_HOURS, REQUEST_KEY_CHARS_MAX } from './wire/limits.ts';
import { leastRole } from './wire/roles.ts';

const groups: Record<string, Record<string, Endpoint>> = endpointGroups;

/** Builds the OpenAPI 3.1 document for the server at `url`. */
export function buildOpenApi({ url, version }: { url: string; version: string }): JsonObject {
  const components: Components = {};
  const errorSchema = jsonSchemaOf(ErrorBody, 'output', components);
  const paths: Record<string, JsonObject> = {};

  for (const [heading, group] of Object.entries(groups)) {
    for (const [line, endpoint] of Object.entries(group)) {
      const { method, path } = splitLine(line);
      const item = paths[path] ?? {};
      item[method.toLowerCase()] = operation(line, { ...endpoint, heading }, components);
      paths[path] = item;
    }
  }

  return {
    openapi: '3.1.1',
    info: {
      title: 'Keyrail',
      version,
      summary: 'Control plane for API keys that are verified inside your own processes.',
      description: introduction(url).trim(),
      contact: { name: 'The operator of this deployment', url },
      license: { name: 'Proprietary; no licence has been granted yet' },
    },
    'x-first-operation': operationId('GET /v1/workspace'),
    // The headings of the API reference. Each covers several tags.
    'x-groups': described(groupDescriptions),
    servers: [{ url }],
    tags: described(tagDescriptions),
    paths,
    webhooks: webhooksOf(components),
    components: {
      securitySchemes,
      responses: refusals(errorSchema, paths),
      schemas: components,
    },
  };
}

const described = (texts: Readonly<Record<string, string>>): JsonObject[] =>
  Object.entries(texts).map(([name, description]) => ({ name, description }));

function operation(
  line: string,
  endpoint: Endpoint & { heading: string },
  components: Components,
): JsonObject {
  const parameters = [
    ...pathParams(line).map(pathParameter),
    ...queryParameters(endpoint, components),
    ...headerParameters(endpoint),
    ...(acceptsRequestKey(line, endpoint) ? [idempotencyKeyParameter] : []),
  ];
  const requestBody = requestBodyOf(line, endpoint, components);
  const role = requiredRole(line, endpoint);
  return {
    operationId: operationId(line),
    tags: [tagOf(line)],
    'x-group': endpoint.heading,
    summary: endpoint.summary,
    description: endpoint.description,
    security: securityOf(endpoint.auth),
    ...(role && { 'x-required-role': role }),
    ...(endpoint.permission && { 'x-required-permission': endpoint.permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...answersOf(line, endpoint, components), ...refusalsOf(line, endpoint) },
  };
}

/**
 * Returns the lowest role that may call the endpoint; null if any member may, or if roles do not
 * apply.
 */
function requiredRole(line: string, endpoint: Endpoint): 'admin' | 'owner' | null {
  if (endpoint.auth !== 'vendor') return null;
  const least = leastRole(isSafe(line, endpoint), endpoint.role);
  return least === 'member' ? null : least;
}

const pathParameter = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
});

function queryParameters(endpoint: Endpoint, components: Components): JsonObject[] {
  const query = querySchemaOf(endpoint);
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
    ...(name === 'Origin' && { example: 'https://app.example.com' }),
  }));

const idempotencyKeyParameter: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry: with the same key, method, path, query and body, it is ' +
    `carried out once in ${REQUEST_KEPT_HOURS} hours, and a retry gets the first response, ` +
    'without its secret. 1 to 255 visible ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: REQUEST_KEY_CHARS_MAX },
};

function requestBodyOf(
  line: string,
  { body, rawBody, bodyOptional, bodyBytesMax }: Endpoint,
  components: Components,
): JsonObject | null {
  const described = body === 'raw' ? rawBody : body;
  if (!described) return null;
  const schema = jsonSchemaOf(described, 'input', components);
  const example = exampleBody(schema, line, components);
  return {
    ...(bodyBytesMax && { description: `At most ${sizeText(bodyBytesMax)}.` }),
    required: !bodyOptional,
    content: { 'application/json': { schema, example } },
  };
}

const KIBIBYTE = 1024;

const sizeText = (bytes: number): string =>
  bytes < MEBIBYTE ? `${bytes / KIBIBYTE} KiB` : `${bytes / MEBIBYTE} MiB`;

function answersOf(line: string, endpoint: Endpoint, components: Components): JsonObject {
  const answers = Object.entries(endpoint.answers).map(([status, type]) => {
    const answer = {
      description: statusWords[status] ?? 'Success',
      ...headersOf(line, endpoint),
      ...(type && {
        content: { 'application/json': responseContent(line, { type, endpoint }, components) },
      }),
    };
    return [status, answer];
  });
  return Object.fromEntries(answers);
}

function responseContent(
  line: string,
  { type, endpoint }: { type: z.ZodType; endpoint: Endpoint },
  components: Components,
): JsonObject {
  const usual = jsonSchemaOf(type, 'output', components);
  const schema = endpoint.dryRun
    ? { oneOf: [usual, jsonSchemaOf(Impact, 'output', components)] }
    : usual;
  return { schema, example: exampleResponse(schema, line, components) };
}

function headersOf(line: string, endpoint: Endpoint): { headers?: JsonObject } {
  const { list, answers } = endpoint;
  if (list) return { headers: nextPageHeader };
  if (acceptsRequestKey(line, endpoint)) return { headers: replayedHeader };
  return '304' in answers ? { headers: feedHeaders } : {};
}

const statusWords: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  304: 'Not modified; no body',
  503: 'Not ready',
};

const nextPageHeader = {
  Link: {
    description: 'The next page, as `<url>; rel="next"`. Absent on the last page.',
    schema: { type: 'string' },
  },
};

const replayedHeader = {
  'Idempotent-Replayed': {
    description: '`true` if this is the response to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
};

const feedHeaders = {
  ETag: {
    description: 'A weak tag for the query and the policy version.',
    schema: { type: 'string' },
  },
  'Content-Digest': {
    description: 'RFC 9530: `sha-256` of the body before compression. Absent without a body.',
    schema: { type: 'string' },
  },
  'Signature-Input': {
    description: 'RFC 9421: the covered components and parameters of the `keyrail` signature.',
    schema: { type: 'string' },
  },
  Signature: {
    description: 'RFC 9421: `ed25519`, made with a published key for `policy_feed`.',
    schema: { type: 'string' },
  },
};

/**
 * Returns an endpoint's error responses: one per declared status, with its reason, and `default`
 * for all other statuses.
 */
function refusalsOf(line: string, endpoint: Endpoint): JsonObject {
  const reasons = new Map(Object.entries(endpoint.refusals ?? {}));
  const named = refusalStatuses(line, endpoint).map((status) => {
    const description = reasons.get(String(status));
    return [status, { ...refusalRef(String(status)), ...(description && { description }) }];
  });
  return { ...Object.fromEntries(named), default: refusalRef('Other') };
}

const refusalRef = (name: string) => ({ $ref: `#/components/responses/Refused${name}` });

/**
 * Returns the shared error responses: one per documented status, with its error codes.
 * `RefusedOther` lists the codes of all other statuses.
 */
function refusals(schema: JsonObject, paths: Record<string, JsonObject>): JsonObject {
  const content = { 'application/json': { schema } };
  const named = JSON.stringify(paths);
  const notes = new Map<string, string[]>([['Other', ['Any other error.']]]);
  for (const [code, { status, message }] of errorEntries()) {
    const isNamed = named.includes(`/Refused${status}"`);
    const name = isNamed ? String(status) : 'Other';
    const note = `\`${code}\`${isNamed ? '' : ` (${status})`}: ${message}`;
    notes.set(name, [...(notes.get(name) ?? []), note]);
  }
  const responses = [...notes].map(([name, texts]) => [
    `Refused${name}`,
    { description: texts.join('\n\n'), content },
  ]);
  return Object.fromEntries(responses);
}

const errorEntries = () =>
  Object.entries(errorCodes).map(([code, refusal]) => [wireName(code), refusal] as const);

const wireName = (code: string): string => (code === 'invalid_embed_token' ? wireCode(code) : code);
