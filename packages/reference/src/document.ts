// Extracts what the page shows from an OpenAPI document. Unknown parts are ignored.
import type { Components, JsonObject } from '@keyrail/protocol/json-schema.ts';
import { objectsIn } from '@keyrail/protocol/json-schema-shape.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';

export type Parameter = {
  in: string;
  name: string;
  isRequired: boolean;
  description: string | null;
  schema: JsonObject;
  example: string | null;
};

type Content = { schema: JsonObject; example: unknown };

type RequestBody = Content & { isRequired: boolean; description: string | null };

export type Response = { status: string; description: string; content: Content | null };

export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string | null;
  /** The names of the security schemes. Any one of them is enough; empty if none is required. */
  credentials: readonly string[];
  role: string | null;
  /** The permission a secret key needs. */
  permission: string | null;
  parameters: readonly Parameter[];
  body: RequestBody | null;
  responses: readonly Response[];
  /** The error statuses that the operation documents, except `default`. */
  refusals: readonly OwnRefusal[];
};

/** `reason` is set if the operation describes the status itself. */
type OwnRefusal = { status: string; reason: string | null };

export type Group = { name: string; description: string; operations: Operation[] };

type Credential = { name: string; format: string; description: string };

type Refusal = { status: string; description: string };

export type ApiDocument = {
  title: string;
  version: string;
  url: string;
  description: string;
  /** The operation shown as an example in the introduction, from `x-first-operation`. */
  firstOperation: Operation | null;
  groups: Group[];
  credentials: Credential[];
  refusals: Refusal[];
  schemas: Components;
};

export function readDocument(openApi: JsonObject): ApiDocument {
  const about = objectAt(openApi, 'info');
  const components = objectAt(openApi, 'components');
  const operations = operationsOf(objectAt(openApi, 'paths'));
  const groups = objectsIn(openApi['x-groups'] ?? openApi.tags).map((tag) => ({
    name: textAt(tag, 'name'),
    description: textAt(tag, 'description'),
    operations: operations
      .filter(({ tags }) => tags.includes(textAt(tag, 'name')))
      .map(({ operation }) => operation),
  }));
  const first = textAt(openApi, 'x-first-operation');
  const [server] = objectsIn(openApi.servers);
  return {
    title: textAt(about, 'title'),
    version: textAt(about, 'version'),
    url: textAt(server ?? {}, 'url'),
    description: textAt(about, 'description'),
    firstOperation: operations.find(({ operation }) => operation.id === first)?.operation ?? null,
    groups,
    credentials: credentialsOf(objectAt(components, 'securitySchemes')),
    refusals: refusalsOf(operations, objectAt(components, 'responses')),
    schemas: objectsOf(objectAt(components, 'schemas')),
  };
}

/** `secretKey` becomes `secret key`. */
export const spaced = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

type Tagged = { operation: Operation; tags: readonly string[]; refs: Map<string, string> };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function operationsOf(paths: JsonObject): Tagged[] {
  return Object.entries(objectsOf(paths)).flatMap(([path, item]) =>
    Object.entries(objectsOf(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => readOperation(operation, method, path)),
  );
}

function readOperation(operation: JsonObject, method: string, path: string): Tagged {
  const responses = objectsOf(objectAt(operation, 'responses'));
  const isRefusal = (status: string, response: JsonObject) =>
    typeof response.$ref === 'string' && /^(4\d\d|default)$/.test(status);
  const refs = new Map(
    Object.entries(responses)
      .filter(([status, response]) => isRefusal(status, response))
      .map(([status, response]) => [status, textAt(response, '$ref')]),
  );
  return {
    tags: 'x-group' in operation ? [textAt(operation, 'x-group')] : textsIn(operation.tags),
    refs,
    operation: {
      id: textAt(operation, 'operationId'),
      method: method.toUpperCase(),
      path,
      summary: textAt(operation, 'summary') || path,
      description: textAt(operation, 'description') || null,
      credentials: objectsIn(operation.security).flatMap((scheme) => Object.keys(scheme)),
      role: textAt(operation, 'x-required-role') || null,
      permission: textAt(operation, 'x-required-permission') || null,
      parameters: objectsIn(operation.parameters).map(readParameter),
      body: readBody(objectAt(operation, 'requestBody')),
      responses: Object.entries(responses)
        .filter(([status]) => !refs.has(status))
        .map(([status, response]) => readResponse(status, response)),
      refusals: [...refs.keys()]
        .filter((status) => status !== 'default')
        .map((status) => ({
          status,
          reason: textAt(responses[status] ?? {}, 'description') || null,
        })),
    },
  };
}

const readParameter = (parameter: JsonObject): Parameter => ({
  in: textAt(parameter, 'in'),
  name: textAt(parameter, 'name'),
  isRequired: parameter.required === true,
  description: textAt(parameter, 'description') || null,
  schema: objectAt(parameter, 'schema'),
  example: textAt(parameter, 'example') || null,
});

function readBody(body: JsonObject): RequestBody | null {
  const content = readContent(body);
  if (!content) return null;
  return {
    ...content,
    isRequired: body.required === true,
    description: textAt(body, 'description') || null,
  };
}

const readResponse = (status: string, response: JsonObject): Response => ({
  status,
  description: textAt(response, 'description'),
  content: readContent(response),
});

function readContent(part: JsonObject): Content | null {
  const json = objectAt(objectAt(part, 'content'), 'application/json');
  return isJsonObject(json.schema) ? { schema: json.schema, example: json.example } : null;
}

function credentialsOf(schemes: JsonObject): Credential[] {
  return Object.entries(objectsOf(schemes)).map(([name, scheme]) => ({
    name,
    format: textAt(scheme, 'bearerFormat') || `\`${textAt(scheme, 'name')}\` header`,
    description: textAt(scheme, 'description'),
  }));
}

/**
 * Returns the shared error responses that operations refer to, each listed once, by status;
 * `default` comes last.
 */
function refusalsOf(operations: readonly Tagged[], responses: JsonObject): Refusal[] {
  const byStatus = new Map(operations.flatMap(({ refs }) => [...refs]));
  return [...byStatus]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, ref]) => {
      const response = objectAt(responses, ref.slice(ref.lastIndexOf('/') + 1));
      return { status, description: textAt(response, 'description') };
    });
}

const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isJsonObject(value) ? value : {};
};

const textAt = (object: JsonObject, name: string): string => {
  const value = object[name];
  return typeof value === 'string' ? value : '';
};

const objectsOf = (object: JsonObject): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
