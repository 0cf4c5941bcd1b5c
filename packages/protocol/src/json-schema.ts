// From a zod schema to JSON Schema that sits inside an OpenAPI document: named objects are moved
// to the shared components, and validators that transform say themselves what they look like.
import { z } from 'zod';

export type JsonObject = { [key: string]: unknown };
export type Components = Record<string, JsonObject>;

type Direction = 'input' | 'output';

/** The schema, with every named part added to `components` and referred to from there. */
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
  // A format says it all; the pattern behind it would only be noise.
  if (schema.format !== undefined) delete schema.pattern;
  delete schema.jsonSchema;
  delete schema.id;
  // Answers grow over time; a generated client must not break on a field it does not know.
  if (direction === 'output' && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
}

// The same object may be strict when sent and open when answered, hence two names.
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
