// The slug of a workspace, made from its name.

const SLUG_CHARS_MAX = 48;

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
