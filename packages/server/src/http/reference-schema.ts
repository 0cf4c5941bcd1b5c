// JSON Schema → the rows of a field table. Nested objects are written out below their parent,
// under its path, so that no reader has to jump.
import type { Components, JsonObject } from '@keyrail/protocol/json-schema.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';
import { boundsOf } from './reference-bounds.ts';

export type FieldRow = {
  /** The path of the object that holds the field, as in `rate_limits[].`; empty at the top. */
  parents: string;
  name: string;
  type: string;
  isRequired: boolean;
  /** Bounds and default, each a phrase with `code` in backticks. */
  notes: string[];
  /** What it is for, in a sentence, where its name does not say it. */
  meaning: string | null;
};

/** The head of an alternative: the rows below it hold when this is so. */
export type VariantRow = { when: string };

export type Row = FieldRow | VariantRow;

type Walk = { components: Components; parents: string; withBounds: boolean };

/** Bounds matter to whoever sends a value; whoever reads one is told its type and meaning. */
export const rowsOf = (
  schema: JsonObject,
  components: Components,
  direction: 'input' | 'output',
): Row[] => rowsIn(schema, { components, parents: '', withBounds: direction === 'input' });

function rowsIn(schema: JsonObject, walk: Walk): Row[] {
  const { shape } = withoutNull(schema, walk.components);
  const items = arrayItems(shape);
  if (items) return rowsIn(items, { ...walk, parents: `${walk.parents.replace(/\.$/, '')}[].` });
  const variants = objectsIn(shape.oneOf);
  if (variants.length > 0) {
    return variants.flatMap((variant) => {
      const resolved = resolve(variant, walk.components);
      return [{ when: whenOf(resolved) }, ...rowsIn(resolved, walk)];
    });
  }
  return propertiesOf(shape).flatMap(([name, property]) => {
    const isRequired = Array.isArray(shape.required) && shape.required.includes(name);
    const inside = { ...walk, parents: `${walk.parents}${name}.` };
    return [fieldRow(property, { ...walk, name, isRequired }), ...rowsIn(property, inside)];
  });
}

function fieldRow(
  property: JsonObject,
  {
    components,
    parents,
    withBounds,
    name,
    isRequired,
  }: Walk & Pick<FieldRow, 'name' | 'isRequired'>,
): FieldRow {
  const { shape } = withoutNull(property, components);
  const { description, default: fallback } = { ...shape, ...property };
  const notes = withBounds ? boundsOf(shape) : [];
  if (withBounds && fallback !== undefined) notes.push(`default \`${JSON.stringify(fallback)}\``);
  const meaning = typeof description === 'string' ? description : null;
  return { parents, name, type: typeOf(property, components), isRequired, notes, meaning };
}

const formats: Record<string, string> = {
  uuid: 'uuid',
  'date-time': 'timestamp',
  date: 'date',
  email: 'e-mail address',
};

/** The type in the words of the page: `uuid`, `string[]`, `live | test`, `uuid or null`. */
export function typeOf(schema: JsonObject, components: Components): string {
  const { shape, isNullable } = withoutNull(schema, components);
  const type = plainType(shape, components);
  if (!isNullable) return type;
  return Array.isArray(shape.enum) ? `${type} | null` : `${type} or null`;
}

function plainType(shape: JsonObject, components: Components): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (Array.isArray(shape.enum)) return shape.enum.join(' | ');
  const items = arrayItems(shape);
  if (items) return arrayOf(typeOf(items, components));
  if (typeof shape.format === 'string' && formats[shape.format]) return formats[shape.format] ?? '';
  if (isJsonObject(shape.additionalProperties)) {
    return `map to ${typeOf(shape.additionalProperties, components)}`;
  }
  if (shape.additionalProperties === true) return 'any JSON object';
  return typeof shape.type === 'string' ? shape.type : 'object';
}

const arrayOf = (type: string): string => (type.includes(' ') ? `(${type})[]` : `${type}[]`);

/** Follows a reference, and takes the null out of `X or null`, however it is spelt. */
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
  return {
    shape: withoutNull(only, components).shape,
    isNullable: choices.length > 1,
  };
}

const COMPONENT = '#/components/schemas/';

function resolve(schema: JsonObject, components: Components): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  return components[schema.$ref.slice(COMPONENT.length)] ?? {};
}

export const arrayItems = (shape: JsonObject): JsonObject | null =>
  shape.type === 'array' && isJsonObject(shape.items) ? shape.items : null;

export const propertiesOf = (shape: JsonObject): [string, JsonObject][] =>
  Object.entries(isJsonObject(shape.properties) ? shape.properties : {}).filter(
    (entry): entry is [string, JsonObject] => isJsonObject(entry[1]),
  );

/** What tells one alternative from another: its first field with a fixed value. */
function whenOf(variant: JsonObject): string {
  const fixed = propertiesOf(variant).find(([, property]) => property.const !== undefined);
  return fixed ? `\`${fixed[0]}\` is \`${JSON.stringify(fixed[1].const)}\`` : 'otherwise';
}

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
