// The bounds of a JSON Schema in words: `1 to 200 characters`, `at most 64 items`.
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import { isJsonObject } from '@keyrail/protocol/json-value.ts';

/** Patterns that read better in words. */
const spelt: Record<string, string> = {
  '^[0-9a-f]{64}$': '64 lowercase hexadecimal characters',
  '^[0-9a-fA-F]{64}$': '64 hexadecimal characters',
  '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$': '3 to 63 lowercase letters, digits and inner hyphens',
};

export function boundsOf(shape: JsonObject): string[] {
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
  // Numbers without a bound of their own are still bounded by what JSON can carry exactly.
  const high = typeof max === 'number' && max < Number.MAX_SAFE_INTEGER ? number(max) : null;
  if (low !== null && high !== null) return [`${low} to ${high}${unit}`];
  if (low !== null) return [`at least ${low}${unit}`];
  return high === null ? [] : [`at most ${high}${unit}`];
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 6 });
