// Parses a request's path, query and body into typed values.
import { querySchemaOf } from '@keyrail/protocol/endpoint.ts';
import { Uuid } from '@keyrail/protocol/validators.ts';
import { ApiError, invalid } from '../base/errors.ts';
import { parsePart, readJson, refuseFields, valuesMaxOf } from './input.ts';
import { createInputMemory, type ParseInput } from './repeated-inputs.ts';
import type { ServedRoute } from './route.ts';

export function parseParams(names: readonly string[], values: unknown): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of names) {
    const value = typeof values === 'object' && values !== null ? Reflect.get(values, name) : null;
    const parsed = Uuid.safeParse(value);
    if (!parsed.success) throw invalid('path', [{ path: name, message: 'Not a UUID.' }]);
    params[name] = parsed.data;
  }
  return params;
}

/**
 * Rejects unknown parameters even if the endpoint has none, so that a misspelt filter isn't
 * ignored. Endpoints with a raw body ignore unknown parameters.
 */
export function queryParserOf({ endpoint, hot }: ServedRoute): ParseInput<unknown> {
  const schema = querySchemaOf(endpoint);
  const parse = (values: unknown): unknown => {
    if (schema) return parsePart('query', schema, values);
    if (endpoint.body !== 'raw') refuseFields('query', values);
    return {};
  };
  return hot && schema ? createInputMemory(parse) : (_, values) => parse(values);
}

type SentBody = { contentType: string | undefined; body: Buffer | undefined };

const EMPTY = Buffer.alloc(0);

export function bodyParserOf({ endpoint, bodyRepeats }: ServedRoute): (sent: SentBody) => unknown {
  const { body: schema } = endpoint;
  if (schema === 'raw') return ({ body = EMPTY }) => body;
  const valuesMax = valuesMaxOf(endpoint);
  const parse = (body: Buffer): unknown => {
    const value = readJson(body, valuesMax);
    if (schema) return parsePart('body', schema, value);
    refuseFields('body', value);
    return undefined;
  };
  const recall = bodyRepeats ? createInputMemory(parse) : null;
  return ({ body = EMPTY, contentType }) => {
    // A missing body is treated as `{}`, so that if a field is required, the error names it.
    if (body.length === 0) return schema && parsePart('body', schema, {});
    if (!isJson(contentType)) throw new ApiError('unsupported_media_type');
    return recall ? recall(body.toString('latin1'), body) : parse(body);
  };
}

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json(?: *; *charset="?utf-8"?)?$/i.test(contentType ?? '');
