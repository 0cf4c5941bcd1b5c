// Palette results in a workspace: keys by name, prefix or ID, and an action that explains a pasted
// key.
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { useSend } from '../api/query.ts';
import { type Env, type Place, paths } from '../paths.ts';
import { navigate } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { palette } from '../texts/palette.ts';
import { handKey } from './handed-key.ts';
import { type Command, type Source, usePaletteSource } from './palette-state.ts';
import { useScope } from './scope.ts';

const KEYS_FOUND_MAX = 8;
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
    const query = { q: text, include_revoked: true, limit: KEYS_FOUND_MAX };
    const { data: keys } = await send('GET /v1/keys', { query, signal });
    return keys.map(
      ({ id, name, env, display_prefix: prefix }): Command => ({
        id: `key ${id}`,
        label: name ?? prefix,
        note: `${prefix} ${en.envs[env]}`,
        icon: 'key',
        run: go(paths.key({ slug: scope.slug, env, keyId: id })),
      }),
    );
  };
  usePaletteSource(source);
  return null;
}

const envOf = (text: string | undefined): Env => (text === 'live' ? 'live' : 'test');

/** Passes the key in memory, so that it never gets into a URL or the history. */
function explains(text: string, place: Place): Command[] {
  // Runs after the navigation, because that may clear the input of a screen that is already open.
  const run = () => void navigate(paths.explain(place)).then(() => handKey(text));
  return [{ id: 'explain pasted', label: palette.explain, icon: 'explain', run }];
}
