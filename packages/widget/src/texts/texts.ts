// The UI strings in one language, with the vendor's replacements.
import { de } from './de.ts';
import { en, type Table } from './en.ts';

/** Your own texts for any of the UI strings, names for your scopes, and the text direction. */
export type Texts = { [K in keyof Table]?: Table[K] | undefined } & {
  /** Names for your scopes: `{ 'invoices:read': 'Read invoices' }`. */
  scopes?: Readonly<Record<string, string>> | undefined;
  dir?: 'ltr' | 'rtl' | undefined;
};

/** The strings that screens use, in one language. */
export type Words = Table & {
  /** The language used for dates and numbers. */
  lang: string;
  dir: 'ltr' | 'rtl';
  scopes: Readonly<Record<string, string>>;
};

const tables: Readonly<Record<string, Table>> = { en, de };
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|iw|ks|ku|ps|sd|ug|ur|yi)\b/i;

/**
 * The strings for a language. Unknown languages get English strings, except for those the vendor
 * replaces.
 */
export function wordsFor(wanted: string, own: Texts = {}): Words {
  const lang = isLanguage(wanted) ? wanted : 'en';
  const [primary = ''] = lang.toLowerCase().split('-');
  const table = tables[primary];
  const isOwn = own['list.title'] !== undefined;
  return {
    ...(table ?? en),
    ...defined(own),
    // Dates use the same language as the strings, because mixing languages would be confusing.
    lang: table || isOwn ? lang : 'en',
    dir: own.dir ?? (RIGHT_TO_LEFT.test(lang) && isOwn ? 'rtl' : 'ltr'),
    scopes: own.scopes ?? {},
  };
}

const defined = (own: Texts): Partial<Table> =>
  Object.fromEntries(Object.entries(own).filter(([, text]) => text !== undefined));

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
