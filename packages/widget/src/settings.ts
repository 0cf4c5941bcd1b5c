import { EMBED_KEYS_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
// Reads the element's attributes and restricts their values. Attributes may be injected markup, so
// none of them can change where a token is sent.

export const ATTRIBUTES = [
  'token-url',
  'theme',
  'lang',
  'dir',
  'density',
  'readonly',
  'page-size',
] as const;

export type Settings = {
  tokenUrl: string | null;
  theme: 'auto' | 'light' | 'dark';
  lang: string;
  dir: 'ltr' | 'rtl' | null;
  density: 'normal' | 'compact';
  isReadOnly: boolean;
  pageSize: number;
};

const PAGE_SIZE_MIN = 10;
const PAGE_SIZE_DEFAULT = 25;

export function settingsOf(element: HTMLElement): Settings {
  const read = (name: (typeof ATTRIBUTES)[number]) => element.getAttribute(name);
  const theme = read('theme');
  const dir = read('dir');
  return {
    tokenUrl: read('token-url') || null,
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    // The language is set by the nearest ancestor with a `lang` attribute, as elsewhere in HTML.
    lang: element.closest('[lang]')?.getAttribute('lang') || 'en',
    dir: dir === 'rtl' || dir === 'ltr' ? dir : null,
    density: read('density') === 'compact' ? 'compact' : 'normal',
    isReadOnly: element.hasAttribute('readonly'),
    pageSize: pageSizeOf(read('page-size')),
  };
}

function pageSizeOf(text: string | null): number {
  const size = Math.round(Number(text ?? PAGE_SIZE_DEFAULT));
  if (!Number.isFinite(size)) return PAGE_SIZE_DEFAULT;
  return Math.min(EMBED_KEYS_LIMIT_MAX, Math.max(PAGE_SIZE_MIN, size));
}
