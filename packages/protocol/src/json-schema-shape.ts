// Reads parts of a JSON Schema: references, nullability, items and properties.
import type { Components, JsonObject } from './json-schema.ts';
import { isJsonObject } from './json-value.ts';

const COMPONENT = '#/components/schemas/';

/** Returns the schema a `$ref` points to; any other schema is returned unchanged. */
export function resolve(schema: JsonObject, components: Components): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  return components[schema.$ref.slice(COMPONENT.length)] ?? {};
}

/** Resolves a reference, removes null from the schema, and says whether null was allowed. */
export function withoutNull(
  schema: JsonObject,
  components: Components,
): { shape: JsonObject; isNullable: boolean } {
  const shape = resolve(schema, components);
  if (Array.isArray(shape.type)) {
    const [type] = shape.type.filter((one) => one !== 'null');
    return { shape: { ...shape, type }, isNullable: shape.type.includes('null') };
  }
  const choices = objectsIn(shape.anyOf);
  const [only, ...others] = choices.filter(({ type }) => type !== 'null');
  if (!only || others.length > 0) return { shape, isNullable: false };
  return { shape: withoutNull(only, components).shape, isNullable: choices.length > 1 };
}

export const arrayItems = (shape: JsonObject): JsonObject | null =>
  shape.type === 'array' && isJsonObject(shape.items) ? shape.items : null;

export const propertiesOf = (shape: JsonObject): [string, JsonObject][] =>
  Object.entries(isJsonObject(shape.properties) ? shape.properties : {}).filter(
    (entry): entry is [string, JsonObject] => isJsonObject(entry[1]),
  );

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
