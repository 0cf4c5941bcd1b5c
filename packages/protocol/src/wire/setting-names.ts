// Names of settings in an environment: those that no setting has, and the one that was meant. The
// server and Edge refuse to start with such a name, which would otherwise be silently ignored.

/**
 * Names that the command line, the SDK and the examples read. A shell that starts a server often
 * has them, so they are ignored with a warning; any other unknown name is refused.
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
/** Longer names are compared with none. */
const NAME_CHARS_MAX = 64;

type Program = { program: string; known: readonly string[] };

/** A fault for each name that is not a setting, and the names that only clients read. */
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
      return `${name} is not a setting: ${program} help lists the known ones${hint}`;
    });
  return { faults, ofClients: unknown.filter((name) => clientNames.includes(name)) };
}

/** The one setting that was meant: without the prefix, few edits away, or with one more part. */
function likelyName(name: string, known: readonly string[]): string | null {
  if (name.length > NAME_CHARS_MAX) return null;
  const own = name.slice(PREFIX.length);
  if (own === '' || known.includes(own)) return own || null;
  const edits = known
    .filter((each) => each.startsWith(PREFIX))
    .map((each) => ({ each, count: editsBetween(own, each.slice(PREFIX.length)) }));
  const least = Math.min(...edits.map(({ count }) => count));
  const nearest = edits.filter(({ count }) => count === least).map(({ each }) => each);
  const found =
    least <= Math.max(1, Math.floor(own.length / 4))
      ? nearest
      : known.filter((each) => each.endsWith(`_${own}`));
  const [one = null, ...others] = found;
  return others.length === 0 ? one : null;
}

/** Characters to insert, remove, replace or swap with their neighbour. */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const edits = [cell(row, j) + 1, cell(next, j - 1) + 1, cell(row, j - 1) + (isSame ? 0 : 1)];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) edits.push(cell(before, j - 2) + 1);
      next.push(Math.min(...edits));
    }
    before = row;
    row = next;
  }
  return cell(row, to.length);
}

const cell = (row: readonly number[], index: number): number => row[index] ?? 0;
