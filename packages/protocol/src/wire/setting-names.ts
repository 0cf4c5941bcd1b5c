// Finds unknown setting names in an environment, and suggests the setting that was probably meant.
// The server and Edge refuse to start with an unknown name, which would otherwise be silently
// ignored.
import { nearestName } from './nearest-name.ts';

/**
 * Names that the command line, the SDK and the examples read. The shell that starts a server often
 * has them set, so the server ignores them with a warning. It rejects any other unknown name.
 */
export const clientNames: readonly string[] = [
  'KEYRAIL_URL',
  'KEYRAIL_TOKEN',
  'KEYRAIL_PROFILE',
  'KEYRAIL_SECRET_KEY',
  'KEYRAIL_PROJECT_ID',
  'KEYRAIL_TENANT_ID',
  'KEYRAIL_WEBHOOK_SECRET',
];

const PREFIX = 'KEYRAIL_';

type Program = { program: string; known: readonly string[] };

/** An error for each name that isn't a setting, and the names that only clients read. */
export function checkNames(
  env: Readonly<Record<string, string | undefined>>,
  { program, known }: Program,
): { faults: string[]; ofClients: string[] } {
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith('KEYRAIL_TEST_'))
    .filter((name) => !known.includes(name));
  const faults = unknown
    .filter((name) => !clientNames.includes(name))
    .map((name) => {
      const meant = likelyName(name, known);
      const hint = meant === null ? '' : `. Did you mean ${meant}?`;
      return `unknown setting ${name}; for a list, run ${program} help${hint}`;
    });
  return { faults, ofClients: unknown.filter((name) => clientNames.includes(name)) };
}

/**
 * The setting that was probably meant: the name without the prefix, a name a few edits away, or the
 * only longer name with the same ending.
 */
function likelyName(name: string, known: readonly string[]): string | null {
  const own = name.slice(PREFIX.length);
  if (own === '' || known.includes(own)) return own || null;
  const names = known.filter((each) => each.startsWith(PREFIX));
  const nearest = nearestName(
    own,
    names.map((each) => each.slice(PREFIX.length)),
  );
  if (nearest !== null) return `${PREFIX}${nearest}`;
  const [longer = null, ...others] = known.filter((each) => each.endsWith(`_${own}`));
  return others.length === 0 ? longer : null;
}
