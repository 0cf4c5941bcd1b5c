// The palette's results inside a workspace: tenants, keys and projects whose name or identifier
// starts with the text, and an action that explains a pasted key.
import type { Item } from '@keyrail/client';
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { useSend } from '../api/query.ts';
import { type Env, type Place, paths } from '../paths.ts';
import { navigate } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { palette } from '../texts/palette.ts';
import { handKey } from './handed-key.ts';
import { type Command, type Source, usePaletteSource } from './palette-state.ts';
import { type Scope, useScope } from './scope.ts';

const KEYS_FOUND_MAX = 8;
const OTHERS_FOUND_MAX = 4;
const TEXT_CHARS_MIN = 2;
const TEXT_CHARS_MAX = 100;
/** Text longer than a display prefix may be a full key, which is never sent as a search. */
const WHOLE_KEY = /kr_(live|test)_[\w-]{7,}/;

const go = (to: string) => () => void navigate(to);

export function WorkspaceCommands() {
  const scope = useScope();
  const send = useSend();
  const source: Source = async (typed, signal) => {
    const pasted = WHOLE_KEY.exec(typed);
    const text = withoutSecrets(typed);
    if (pasted) return explains(pasted[0], { ...scope, env: envOf(pasted[1]) });
    if (text.length < TEXT_CHARS_MIN || text.length > TEXT_CHARS_MAX) return [];
    const others = { query: { q: text, limit: OTHERS_FOUND_MAX }, signal };
    const keys = { query: { q: text, include_revoked: true, limit: KEYS_FOUND_MAX }, signal };
    const [tenants, found, projects] = await Promise.all([
      send('GET /v1/tenants', others),
      send('GET /v1/keys', keys),
      send('GET /v1/projects', others),
    ]);
    return [
      ...tenants.data.map(tenantCommand(scope)),
      ...found.data.map(keyCommand(scope)),
      ...projects.data.map(projectCommand(scope)),
    ];
  };
  usePaletteSource(source);
  return null;
}

const tenantCommand =
  (scope: Scope) =>
  ({ id, name, external_id: externalId }: Item<'GET /v1/tenants'>): Command => ({
    id: `tenant ${id}`,
    label: name ?? externalId,
    note: `${palette.tenant} ${externalId}`,
    icon: 'tenant',
    run: go(paths.tenant({ ...scope, tenantId: id })),
  });

const keyCommand =
  (scope: Scope) =>
  ({ id, name, env, display_prefix: prefix }: Item<'GET /v1/keys'>): Command => ({
    id: `key ${id}`,
    label: name ?? prefix,
    note: `${prefix} ${en.envs[env]}`,
    icon: 'key',
    run: go(paths.key({ slug: scope.slug, env, keyId: id })),
  });

const projectCommand =
  (scope: Scope) =>
  ({ id, name, slug }: Item<'GET /v1/projects'>): Command => ({
    id: `project ${id}`,
    label: name,
    note: `${palette.project} ${slug}`,
    icon: 'project',
    run: go(paths.project({ ...scope, project: slug })),
  });

const envOf = (text: string | undefined): Env => (text === 'live' ? 'live' : 'test');

/**
 * Passes the key to the Explain screen in memory, so that it never appears in a URL or the history.
 */
function explains(text: string, place: Place): Command[] {
  // Passed after the navigation, which may clear the input field if the screen was already open.
  const run = () => void navigate(paths.explain(place)).then(() => handKey(text));
  return [{ id: 'explain pasted', label: palette.explain, icon: 'explain', run }];
}
