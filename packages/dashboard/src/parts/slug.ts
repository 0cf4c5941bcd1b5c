// The slug of a workspace or a project, made from its name.

const SLUG_CHARS_MAX = 48;
const SLUG_CHARS_MIN = 3;

export const isSlug = (text: string): boolean => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text);

/** "Müller & Söhne" becomes "muller-sohne". */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replaceAll(/^-|-$/g, '');

/** Names in other scripts have no letters a slug may contain. */
export function slugFor(name: string, fallback: string): string {
  const slug = slugOf(name);
  return slug.length < SLUG_CHARS_MIN ? `${fallback}-${slug}`.replace(/-$/, '') : slug;
}
