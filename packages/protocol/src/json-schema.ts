// Converts a zod schema to JSON Schema for an OpenAPI document. Named objects are moved to the
// shared components, and validators with a transform provide their own JSON Schema.
import { z } from 'zod';

export type JsonObject = { [key: string]: unknown };
export type Components = Record<string, JsonObject>;

type Direction = 'input' | 'output';

/**
 * Returns the JSON Schema. Objects with a name are added to `components` and referenced from there.
 */
export function jsonSchemaOf(
  type: z.core.$ZodType,
  direction: Direction,
  components: Components,
): JsonObject {
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = z.toJSONSchema(type, {
    io: direction,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => adjust(zodSchema, jsonSchema, direction),
  });
  for (const [name, definition] of Object.entries($defs)) {
    components[componentName(name, direction)] = relocated(definition, direction);
  }
  return relocated(schema, direction);
}

function adjust(type: z.core.$ZodType, schema: JsonObject, direction: Direction): void {
  const own = z.globalRegistry.get(type)?.jsonSchema;
  if (isObject(own)) {
    for (const key of Object.keys(schema)) if (key !== 'description') delete schema[key];
    Object.assign(schema, own);
  }
  // A format already implies the pattern, so leave the pattern out.
  if (schema.format !== undefined) delete schema.pattern;
  delete schema.jsonSchema;
  delete schema.id;
  // Later versions may add fields to responses, and generated clients must not fail on them.
  if (direction === 'output' && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
}

// An object with unknown fields is rejected in requests but allowed in responses. So there are two
// schemas for it, each with its own name.
const componentName = (name: string, direction: Direction) =>
  direction === 'input' ? `${name}Input` : name;

const LOCAL_REF = '#/$defs/';

function relocated(schema: object, direction: Direction): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    result[key] =
      key === '$ref' && typeof value === 'string' && value.startsWith(LOCAL_REF)
        ? `#/components/schemas/${componentName(value.slice(LOCAL_REF.length), direction)}`
        : relocatedValue(value, direction);
  }
  return result;
}

function relocatedValue(value: unknown, direction: Direction): unknown {
  if (Array.isArray(value)) return value.map((item) => relocatedValue(item, direction));
  return isObject(value) ? relocated(value, direction) : value;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
