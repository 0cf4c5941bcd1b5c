// Sample data for the preview. It implements the embed API in memory, so every button works and no
// request reaches the server.
import type { Answer, Item } from '@keyrail/client';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
import {
  EMBED_REFRESH_BEFORE_SECONDS,
  EMBED_TOKEN_SECONDS,
} from '@keyrail/protocol/wire/limits.ts';
import { SAMPLE_KEY } from '@keyrail/protocol/wire/sample-key.ts';
import { nowMs } from '../../clock.ts';
import type { Env } from '../../paths.ts';

type ApiKey = Item<'GET /v1/embed/keys'>;
type Session = Answer<'GET /v1/embed/session'>;

export type SampleChoice = { env: Env; mayWrite: boolean; keyScopes: readonly string[] };

const SECRET_CHARS = 32;

const at = (ms: number): string => new Date(nowMs() + ms).toISOString();
const idOf = (count: number): string =>
  `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;

/** Responds to the element's requests. Passed to the element as `transport`. */
export function sampleTransport(choice: SampleChoice): typeof fetch {
  const state = { keys: sampleKeys(choice), made: 100 };
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const [, , , , id = '', act = ''] = url.pathname.split('/');
    const sent: Record<string, unknown> = JSON.parse(String(init?.body ?? '{}'));
    if (url.pathname.endsWith('/session')) return json(sessionOf(choice));
    if (act === 'usage') return json(usageOf(id, Number(url.searchParams.get('days'))));
    if (init?.method !== 'POST') return json(listOf(state.keys, url));
    state.made += 1;
    const made = madeKey(choice, state.made, sent);
    const old = state.keys.find((key) => key.id === id);
    if (act === 'revoke' && old) {
      const revoked = { ...old, state: 'revoked' as const, revoked_at: at(0) };
      state.keys = changed(state.keys, revoked);
      return json(revoked);
    }
    if (act === 'rotate' && old) {
      const hours = Number(sent.overlap_hours);
      const previous_key: ApiKey = {
        ...old,
        state: hours > 0 ? 'expiring' : 'expired',
        expires_at: at(hours * HOUR_MS),
      };
      const next = { ...made, name: old.name, scopes: old.scopes, rotated_from: old.id };
      state.keys = [withoutValue(next), ...changed(state.keys, previous_key)];
      return json({ ...next, previous_key });
    }
    state.keys = [withoutValue(made), ...state.keys];
    return json(made, 201);
  };
}

/** Passed to the element as `getToken`. Sample data needs no real token. */
export const sampleToken = async () => ({
  token: 'sample',
  refresh_after: at((EMBED_TOKEN_SECONDS - EMBED_REFRESH_BEFORE_SECONDS) * SECOND_MS),
});

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const changed = (keys: readonly ApiKey[], key: ApiKey): ApiKey[] =>
  keys.map((one) => (one.id === key.id ? key : one));

const withoutValue = ({ key: _, key_shown_once: __, ...key }: MadeKey): ApiKey => key;

function sessionOf({ env, mayWrite, keyScopes }: SampleChoice): Session {
  const grants = keyScopes.map((scope) => `key_scope:${scope}`);
  return {
    object: 'embed_session',
    project: { id: idOf(1), name: 'Sample', slug: 'sample' },
    env,
    test_mode: env === 'test',
    tenant: { id: idOf(2), external_id: 'sample', name: 'Sample customer' },
    scopes: ['keys:read', ...(mayWrite ? ['keys:write', ...grants] : [])],
    expires_at: at(EMBED_TOKEN_SECONDS * SECOND_MS),
    expires_in: EMBED_TOKEN_SECONDS,
  };
}

function listOf(keys: readonly ApiKey[], { searchParams }: URL) {
  const isAll = searchParams.get('include_revoked') === 'true';
  const listed = keys.filter(({ revoked_at }) => isAll || revoked_at === null);
  return { object: 'list', data: listed };
}

function usageOf(key_id: string, days: number) {
  const all = Array.from({ length: days }, (_, ago) => ({
    day: at((ago - days + 1) * DAY_MS).slice(0, 10),
    requests: Math.round(900 + 500 * Math.sin(ago / 3) + (ago % 7) * 60),
    errors: ago % 9 === 4 ? 40 : 3,
  }));
  return { object: 'usage', key_id, days, data: all };
}

type MadeKey = ApiKey & { key: string; key_shown_once: boolean };

function madeKey(choice: SampleChoice, count: number, sent: Record<string, unknown>): MadeKey {
  const name = typeof sent.name === 'string' ? sent.name : null;
  const scopes = Array.isArray(sent.scopes) ? sent.scopes.map(String) : [];
  const key = keyOf(choice, { id: idOf(count), name, scopes });
  return { ...key, key: `${key.display_prefix}${'x'.repeat(SECRET_CHARS)}`, key_shown_once: true };
}

function keyOf({ env }: Pick<SampleChoice, 'env'>, more: Partial<ApiKey>): ApiKey {
  return {
    ...SAMPLE_KEY,
    id: idOf(3),
    project_id: idOf(1),
    tenant_id: idOf(2),
    env,
    display_prefix: `kr_${env}_${(more.id ?? '').slice(-3)}Qm4`,
    created_at: at(0),
    ...more,
  };
}

function sampleKeys(choice: SampleChoice): ApiKey[] {
  const { keyScopes } = choice;
  const key = (count: number, more: Partial<ApiKey>) =>
    keyOf(choice, {
      id: idOf(count),
      scopes: [...keyScopes],
      created_at: at(-count * DAY_MS),
      ...more,
    });
  return [
    key(11, { name: 'Website', last_used_at: at(-3 * MINUTE_MS), rotated_from: idOf(13) }),
    key(12, { name: 'Nightly export', last_used_at: at(-DAY_MS), ...endingIn(9 * DAY_MS) }),
    key(13, { name: 'Website', last_used_at: at(-MINUTE_MS), ...endingIn(DAY_MS) }),
    key(14, { name: 'Mobile app trial', last_used_at: at(-70 * DAY_MS) }),
    key(15, {
      name: 'Old server',
      state: 'revoked',
      revoked_at: at(-DAY_MS),
      last_used_at: at(-2 * DAY_MS),
    }),
  ];
}

const endingIn = (ms: number) => ({ state: 'expiring', expires_at: at(ms) }) as const;
