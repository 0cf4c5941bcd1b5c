// Suggests a slug for a workspace or project, based on its name.
import { SLUG_CHARS_MIN } from '@keyrail/protocol/wire/limits.ts';
import { SLUG } from '@keyrail/protocol/wire/slug.ts';

/**
 * The maximum length of a suggested slug. The API allows longer slugs, but short URLs are easier to
 * read.
 */
const MADE_CHARS_MAX = 48;

export const isSlug = (text: string): boolean => SLUG.test(text);

/** "Müller & Söhne" becomes "muller-sohne". */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MADE_CHARS_MAX)
    .replaceAll(/^-|-$/g, '');

/**
 * Adds the fallback if the slug would be too short, for example for a Chinese name, which has no
 * letters that are allowed in slugs.
 */
export function slugFor(name: string, fallback: string): string {
  const slug = slugOf(name);
  return slug.length < SLUG_CHARS_MIN ? `${fallback}-${slug}`.replace(/-$/, '') : slug;
}
