// Turns a JSON Schema into the rows of a field table. A nested field follows its parent and is
// shown with the parent's path, so that one table covers the whole body.
import type { Components, JsonObject } from '@keyrail/protocol/json-schema.ts';
import {
  arrayItems,
  objectsIn,
  propertiesOf,
  resolve,
  withoutNull,
} from '@keyrail/protocol/json-schema-shape.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';

export type FieldRow = {
  /** The parent's path, such as `rate_limits[].`; empty at the top level. */
  parents: string;
  name: string;
  type: string;
  isRequired: boolean;
  /** Limits and the default, each as a phrase in which backticks mark code. */
  notes: string[];
  /** The field's description. */
  meaning: string | null;
};

/**
 * The heading of one of several alternative schemas. The rows below it apply if the condition
 * `when` is met.
 */
type VariantRow = { when: string };

export type Row = FieldRow | VariantRow;

type Walk = { components: Components; parents: string; withBounds: boolean };

/** Returns the rows for a schema. Limits are included only for requests. */
export const rowsOf = (
  schema: JsonObject,
  components: Components,
  direction: 'input' | 'output',
): Row[] => rowsIn(schema, { components, parents: '', withBounds: direction === 'input' });

/** Returns the row for a single field, such as a query parameter. */
export const fieldOf = (
  schema: JsonObject,
  components: Components,
  field: Pick<FieldRow, 'name' | 'isRequired'>,
): FieldRow => fieldRow(schema, { components, parents: '', withBounds: true, ...field });

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

/** Returns the type as text: `uuid`, `string[]`, `live | test`, `uuid or null`. */
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

/** Returns the condition for an alternative: its first field with a fixed value. */
function whenOf(variant: JsonObject): string {
  const required = Array.isArray(variant.required) ? variant.required : [];
  const fixed = propertiesOf(variant).find(
    ([name, property]) => property.const !== undefined && required.includes(name),
  );
  return fixed ? `\`${fixed[0]}\` is \`${JSON.stringify(fixed[1].const)}\`` : 'otherwise';
}

/** Patterns that are hard to read, and are therefore described in words. */
const spelt: Record<string, string> = {
  '^[0-9a-f]{64}$': '64 lowercase hexadecimal characters',
  '^[0-9a-fA-F]{64}$': '64 hexadecimal characters',
  '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$': '3 to 63 lowercase letters, digits and inner hyphens',
};

/** Describes a schema's limits in words: `1 to 200 characters`, `at most 64 items`. */
function boundsOf(shape: JsonObject): string[] {
  const { minLength, maxLength, minItems, maxItems, pattern, items } = shape;
  const { minimum, exclusiveMinimum, maximum } = shape;
  const inItems = isJsonObject(items) && items.type === 'string' ? boundsOf(items) : [];
  return [
    ...range(minLength, maxLength, ' characters'),
    ...(typeof exclusiveMinimum === 'number' ? [`more than ${number(exclusiveMinimum)}`] : []),
    ...range(minimum, maximum, ''),
    ...range(minItems, maxItems, ' items'),
    ...(typeof pattern === 'string' ? [spelt[pattern] ?? `matches \`${pattern}\``] : []),
    ...inItems.map((bound) => `each ${bound}`),
  ];
}

function range(min: unknown, max: unknown, unit: string): string[] {
  const low = typeof min === 'number' ? number(min) : null;
  // zod assigns this maximum to integers without a limit.
  const high = typeof max === 'number' && max < Number.MAX_SAFE_INTEGER ? number(max) : null;
  if (low !== null && high !== null) return [`${low} to ${high}${unit}`];
  if (low !== null) return [`at least ${low}${unit}`];
  return high === null ? [] : [`at most ${high}${unit}`];
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 6 });
