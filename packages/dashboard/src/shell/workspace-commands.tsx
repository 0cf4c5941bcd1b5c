// The palette's results inside a workspace: what a search finds, and an action that explains a
// pasted key.
import type { Answer } from '@keyrail/client';
import { FIND_CHARS_MAX, SEARCH_PART_CHARS_MIN } from '@keyrail/protocol/wire/limits.ts';
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { useSend } from '../api/query.ts';
import { type Env, type Place, paths } from '../paths.ts';
import { navigate } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { palette } from '../texts/palette.ts';
import type { IconName } from '../ui/controls/icon.tsx';
import { handKey } from './handed-key.ts';
import { type Command, type Source, usePaletteSource } from './palette-state.ts';
import { type Scope, useScope } from './scope.ts';

/** Text longer than a display prefix may be a full key, which is never sent as a search. */
const WHOLE_KEY = /kr_(live|test)_[\w-]{7,}/;

const go = (to: string) => () => void navigate(to);

export function WorkspaceCommands() {
  const scope = useScope();
  const send = useSend();
  const source: Source = async (typed, signal) => {
    const pasted = WHOLE_KEY.exec(typed);
    const q = withoutSecrets(typed).trim();
    if (pasted) return explains(pasted[0], { ...scope, env: envOf(pasted[1]) });
    const { length } = [...q];
    if (length < SEARCH_PART_CHARS_MIN || length > FIND_CHARS_MAX) return [];
    const found = await send('GET /v1/search', { query: { q }, signal });
    return found.data.map((one) => commandFor(one, scope));
  };
  usePaletteSource(source);
  return null;
}

type Result = Answer<'GET /v1/search'>['data'][number];

/** The icon and the URL for each type of search result. */
const views: Readonly<
  Record<Result['type'], { icon: IconName; to(one: Result, at: Scope): string }>
> = {
  api_key: { icon: 'key', to: ({ id }, { slug, env }) => paths.key({ slug, env, keyId: id }) },
  tenant: { icon: 'tenant', to: ({ id }, scope) => paths.tenant({ ...scope, tenantId: id }) },
  project: {
    icon: 'project',
    to: ({ title, subtitle }, scope) => paths.project({ ...scope, project: subtitle ?? title }),
  },
  secret_key: {
    icon: 'secret',
    to: ({ id }, scope) => paths.secretKey({ ...scope, secretKeyId: id }),
  },
  member: { icon: 'members', to: (_, scope) => paths.members(scope) },
  node: { icon: 'node', to: (_, scope) => paths.nodes(scope) },
};

function commandFor(one: Result, scope: Scope): Command {
  const { type, title, subtitle, env } = one;
  const { icon, to } = views[type];
  return {
    // A node is listed once for each project and environment.
    id: `found ${type} ${one.id} ${one.href} ${env}`,
    label: title,
    note: [palette.types[type], subtitle, env && en.envs[env]].filter(Boolean).join(' · '),
    icon,
    run: go(to(one, { ...scope, env: env ?? scope.env })),
  };
}

const envOf = (text: string | undefined): Env => (text === 'live' ? 'live' : 'test');

/**
 * Passes the key to the Explain screen in memory, so that it never appears in a URL or the history.
 */
function explains(text: string, place: Place): Command[] {
  // Pass the key only after the navigation. If the Explain screen is already open, the navigation
  // may clear its input field.
  const run = () => void navigate(paths.explain(place)).then(() => handKey(text));
  return [{ id: 'explain pasted', label: palette.explain, icon: 'explain', run }];
}
