// Parses metadata as the user types. Returns the JSON object, or what is wrong with the text.
import type { ApiKey } from './key.ts';
import { texts } from './texts.ts';

type Meta = ApiKey['meta'];

export function parseMeta(text: string): { meta: Meta } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { meta: value } : { fault: texts.meta.notObject };
  } catch (error) {
    return { fault: texts.meta.notJson(error instanceof Error ? error.message : '') };
  }
}

const isObject = (value: unknown): value is Meta =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
