// Generates the OpenAPI document's examples from the schemas and the values in openapi-samples.ts.
import type { Components, JsonObject } from './json-schema.ts';
import { arrayItems, objectsIn, propertiesOf, withoutNull } from './json-schema-shape.ts';
import { isJsonObject } from './json-value.ts';
import { type Place, SAMPLE_TIME, sampleAt } from './openapi-samples.ts';

type Position = Omit<Place, 'line'>;

type Sampling = {
  line: string;
  components: Components;
  /** Whether the example includes an optional field. */
  isShown(position: Position): boolean;
};

/** Optional fields included in request body examples. */
const shownInBodies = new Set([
  'name',
  'scopes',
  'reason',
  'overlap_hours',
  'embed_origins',
  'key_id',
  'tenant_external_id',
]);

export const exampleBody = (schema: JsonObject, line: string, components: Components): unknown =>
  sample(schema, { line, components, isShown: ({ name }) => shownInBodies.has(name) }, TOP);

/** Includes an optional field only if openapi-samples.ts has a value for it. */
export const exampleResponse = (
  schema: JsonObject,
  line: string,
  components: Components,
): unknown => {
  const isShown = (position: Position) => sampleAt({ line, ...position }) !== undefined;
  return sample(schema, { line, components, isShown }, TOP);
};

const TOP: Position = { kind: '', path: '', name: '' };

function sample(schema: JsonObject, sampling: Sampling, position: Position): unknown {
  if (schema.type === 'null') return null;
  const { shape, isNullable } = withoutNull(schema, sampling.components);
  if (shape.const !== undefined) return shape.const;
  const known = position.name === '' ? undefined : sampleAt({ line: sampling.line, ...position });
  if (known !== undefined) return known;
  if (isNullable) return null;
  if (shape.default !== undefined) return shape.default;
  if (Array.isArray(shape.enum)) return shape.enum[0];
  const items = arrayItems(shape);
  if (items) return [sample(items, sampling, { ...position, name: '' })];
  const [variant] = objectsIn(shape.oneOf);
  if (variant) return sample(variant, sampling, position);
  if (shape.type === 'object') return sampleObject(shape, sampling, position);
  return plainSample(shape);
}

function sampleObject(shape: JsonObject, sampling: Sampling, position: Position): JsonObject {
  const kind = kindOf(shape) ?? position.kind;
  const required = Array.isArray(shape.required) ? shape.required : [];
  const prefix = position.path === '' ? '' : `${position.path}.`;
  const members: JsonObject = {};
  for (const [name, property] of propertiesOf(shape)) {
    const inside = { kind, path: `${prefix}${name}`, name };
    if (!required.includes(name) && !sampling.isShown(inside)) continue;
    members[name] = sample(property, sampling, inside);
  }
  return members;
}

/**
 * Determines an object's kind from its `object` field. A rate limit has no such field, so it is
 * recognised by its `algorithm`.
 */
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
