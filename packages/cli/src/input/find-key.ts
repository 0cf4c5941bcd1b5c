// Finds the API key that a command refers to, by its ID or by the start of its display prefix.
// Anything longer than the prefix is rejected and never printed, because it is secret.
import type { Client, Item } from '@keyrail/client';
import { SHOWN_KEY_CHARS } from '@keyrail/protocol/wire/key-format.ts';
import { KEYS_LIMIT_MAX, SHOWN_BODY_CHARS } from '@keyrail/protocol/wire/limits.ts';
import { refused, usage } from '../failures.ts';
import { printable } from '../terminal/style.ts';
import { type Given, isUuid } from './given.ts';

type ApiKey = Item<'GET /v1/keys'>;

export const keyArg = { name: 'key', about: 'key, by ID or by the start of its prefix' } as const;

const PREFIX = new RegExp(`^kr_(live|test)_[\\w-]{1,${SHOWN_BODY_CHARS}}$`);

/** The maximum number of pages read to find a key. Only a few keys match any given prefix. */
const PAGES_MAX = 20;
const MATCHES_SHOWN_MAX = 10;

/** Returns the argument, provided that it looks like an ID or a prefix. */
function keyTextOf(given: Given): string {
  const text = given.text(keyArg.name);
  if (isUuid(text)) return text;
  const prefix = withoutSecret(text);
  if (PREFIX.test(prefix)) return prefix;
  throw usage(
    "That isn't a key ID or prefix. Pass the key's ID or the start of its prefix, as in kr_live_3hArfb.",
    'Find it with: keyrail keys list --search <text>',
  );
}

/** Rejects text that contains more of a key than the display prefix. */
function withoutSecret(text: string): string {
  const isLong = text.length > SHOWN_KEY_CHARS && /^kr_(live|test)_/i.test(text);
  if (!isLong && !/^kr(sk|ses)_/i.test(text)) return text;
  throw usage(
    "This looks like part of a secret. Don't pass keys as arguments.",
    `Pass the key's prefix: its first ${SHOWN_KEY_CHARS} characters.`,
  );
}

/** Returns the search text, given as `--prefix` or `--search`. */
export function keySearchOf(given: Given): string | undefined {
  const prefix = given.maybe('prefix');
  const text = given.maybe('search');
  if (prefix === undefined) return text && withoutSecret(text);
  if (text !== undefined) throw usage('Use only one of --prefix and --search.');
  if (/^kr_/i.test(withoutSecret(prefix))) return prefix;
  throw usage('--prefix must start with kr_, as in kr_live_3h.');
}

type KeyPages = AsyncIterable<{ items: ApiKey[]; cursor: string | null }>;

/** Leaves out keys that matched the search only in a field other than the prefix. */
export async function* withPrefix(pages: KeyPages, prefix: string): KeyPages {
  const start = prefix.toLowerCase();
  for await (const { items, cursor } of pages) {
    const found = items.filter((key) => key.display_prefix.toLowerCase().startsWith(start));
    yield { items: found, cursor };
  }
}

/** Returns the ID of the key that the argument refers to. */
export async function keyIdOf(client: Client, given: Given): Promise<string> {
  const text = keyTextOf(given);
  return isUuid(text) ? text : (await findKey(client, text)).id;
}

/**
 * How to refer to the key in a question: by its ID if that was given, otherwise by its full prefix.
 */
export async function keyNameOf(client: Client, given: Given): Promise<string> {
  const text = keyTextOf(given);
  return isUuid(text) ? text : nameOf(await findKey(client, text));
}

/**
 * Finds the only key whose display prefix starts with this text. Throws if there is no match or
 * more than one.
 */
async function findKey(client: Client, prefix: string): Promise<ApiKey> {
  const query = { q: prefix, include_revoked: true, limit: KEYS_LIMIT_MAX };
  const found: ApiKey[] = [];
  for await (const { items } of client.pages('GET /v1/keys', { query, pagesMax: PAGES_MAX })) {
    found.push(...items.filter((key) => key.display_prefix.startsWith(prefix)));
    if (found.length > MATCHES_SHOWN_MAX) break;
  }
  const [key, ...others] = found;
  if (key === undefined) throw refused(`No key prefix starts with ${prefix}.`);
  if (others.length === 0) return key;
  const shown = found.slice(0, MATCHES_SHOWN_MAX).map((each) => `${nameOf(each)}  ${each.id}`);
  const more = found.length > MATCHES_SHOWN_MAX ? ['and more'] : [];
  throw refused(`More than one key starts with ${prefix}:`, ...shown, ...more);
}

function nameOf({ display_prefix: prefix, name, revoked_at: revokedAt }: ApiKey): string {
  const state = revokedAt === null ? '' : ', revoked';
  return printable(`${prefix}${name === null ? '' : ` (${name})`}${state}`);
}
