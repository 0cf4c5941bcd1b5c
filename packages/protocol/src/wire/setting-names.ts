// Finds unknown setting names in an environment, and suggests the setting that was probably meant.
// The server and Edge refuse to start if there is an unknown name, because otherwise a misspelt
// setting would be silently ignored.
import { nearestName } from './nearest-name.ts';

/**
 * Variables that the CLI, the SDK and the examples read. They are often set in the shell that
 * starts a server, so the server only warns about them. Any other unknown name is an error.
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

/** Returns an error for each unknown name, and separately the names that only clients read. */
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
 * Guesses which setting was meant: the same name without the prefix, a name that differs by a few
 * edits, or the only longer name with the same ending.
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
