/**
 * Words and constructs that source files may not use: meaningless names, clocks and randomness that
 * aren't injected, settings read outside the entry points, and secrets revealed in the wrong place.
 */
import { type Program, type PropertyKey, Visitor } from 'oxc-parser';
import { importsOf } from './imports.ts';
import { type Fault, isTest, lineAt, type Source } from './tree.ts';

const BANNED = new Set(
  `service services manager managers helper helpers util utils utility utilities common misc data
   info infos process processes handle handles`.split(/\s+/),
);

/** Tests may use these words for what they test: wire bodies, processes that start and stop. */
const SUBJECTS_OF_TESTS = new Set(['data', 'process', 'processes', 'info', 'common']);

const isBanned = (word: string, path: string): boolean =>
  BANNED.has(word) && !(isTested(path) && SUBJECTS_OF_TESTS.has(word));

const isTested = (path: string): boolean => isTest(path) || /^(tests|bench)\//.test(path);

/**
 * Names that would be rejected if they weren't defined elsewhere: runtime globals, a setting,
 * driver callbacks.
 */
const NOT_OURS = new Set(
  `process FormData DataView KEYRAIL_DATA_DIR dataDir loadDataDir dataTypeID handleRowDescription
   handleDataRow handleCommandComplete handleEmptyQuery handlePortalSuspended handleError
   handleReadyForQuery handleCopyInResponse handleCopyData placeholderData`.split(/\s+/),
);
/** Keys that a wire or document format prescribes. */
const PRESCRIBED_KEYS = new Set(['data', 'info']);

// A regular expression for a rule's exempt paths, built from their prefixes.
const paths = (...beginnings: string[]) => new RegExp(`^(${beginnings.join('|')})`);
const SERVER = 'packages/server/src/';
const REAL_CLOCK = paths(
  'scripts/',
  'bench/',
  'tests/(contracts|journeys|faults)/',
  'packages/testing/src/(stores|processes)/',
  'packages/testing/src/test-app.ts$',
  `${SERVER}base/`,
  'packages/sdk/src/clock.ts$',
  'packages/dashboard/src/clock.ts$',
  'packages/widget/src/clock.ts$',
);
/**
 * Code that may reveal secrets: presenters, emails, code that passes settings to drivers, sealing
 * and signing, tests.
 */
const REVEALS = paths(
  'tests/',
  'packages/testing/',
  'bench/',
  '.*\\.test.ts$',
  '.*/present.ts$',
  `${SERVER}features/mail/`,
  `${SERVER}(backup|commands)/`,
  `${SERVER}settings/generated-secrets.ts$`,
  `${SERVER}base/(secret|sealing).ts$`,
  `${SERVER}access/authenticate.ts$`,
  `${SERVER}signing/pair.ts$`,
);
const SQL_CLOCK = new RegExp(
  ['now\\s*\\(', 'current_(timestamp|time|date)\\b', 'localtime(stamp)?\\b']
    .concat('(clock|statement|transaction)_timestamp\\b')
    .map((word) => `(?<![\\w.])${word}`)
    .join('|'),
  'gi',
);

type Pattern = { pattern: RegExp; says: string; view: 'code' | 'comments'; spares: RegExp };

const NOBODY = /^$/;
const patterns: Pattern[] = [
  {
    pattern: /(?<![\w.])Object\s*\(/g,
    says: 'reads a value of type any through Object(…); use a typed reader, such as those in json.ts',
    view: 'code',
    spares: paths('(tests|lab|bench|scripts)/', 'packages/(server|testing)/', '.*\\.test.ts$'),
  },
  {
    pattern: /\bnew Date\b(?!\s*\(\s*[^\s)])|\bDate\.now\b|\bMath\.random\b/g,
    says: 'uses the clock or randomness of the runtime; inject it instead',
    view: 'code',
    spares: REAL_CLOCK,
  },
  {
    pattern: /\breveal\s*\(/g,
    says: 'reveals a secret outside present.ts and mail bodies',
    view: 'code',
    spares: REVEALS,
  },
  {
    pattern: /\b(TODO|FIXME|XXX)\b/g,
    says: 'contains unfinished work',
    view: 'comments',
    spares: NOBODY,
  },
];

export function wordFaults(source: Source): Fault[] {
  if (source.path.endsWith('.sql')) {
    return [...pathFaults(source), ...sqlFaults(source), ...patternFaults(source, ['comments'])];
  }
  return [
    ...pathFaults(source),
    ...nameFaults(source),
    ...patternFaults(source, ['code', 'comments']),
    ...statementFaults(source),
  ];
}

function patternFaults({ path, text, ...views }: Source, which: Pattern['view'][]): Fault[] {
  return patterns
    .filter(({ view, spares }) => which.includes(view) && !spares.test(path))
    .flatMap(({ pattern, says, view }) =>
      [...views[view].matchAll(pattern)].map(({ index }) => ({
        path,
        line: lineAt(text, index),
        says,
      })),
    );
}

function pathFaults({ path }: Source): Fault[] {
  const own = path.replace(/^(packages\/[^/]+\/src|tests|scripts|bench)\//, '');
  const banned = own.split(/[-./]/).find((word) => isBanned(word, path));
  return banned ? [{ path, line: 1, says: `its path says "${banned}"` }] : [];
}

/**
 * Checks the names that a file declares or uses on their own, as opposed to properties of objects
 * from third-party packages.
 */
function nameFaults(source: Source): Fault[] {
  const { path, text, parsed } = source;
  if (parsed === null) return [];
  const foreign = new Set(
    importsOf(source)
      .filter(({ target, specifier }) => target === null && !specifier.startsWith('@keyrail/'))
      .flatMap(({ names }) => names),
  );
  const faults: Fault[] = [];
  const judge = (name: string, start: number) => {
    const banned = wordsOf(name).find((word) => isBanned(word, path));
    if (banned === undefined || NOT_OURS.has(name) || foreign.has(name)) return;
    const says = `the name ${name} contains "${banned}"`;
    faults.push({ path, line: lineAt(text, start), says });
  };
  const members = memberNames(parsed.program);
  const judged = new Set<number>();
  new Visitor({
    Identifier({ name, start }) {
      if (members.has(start) || judged.has(start)) return;
      judged.add(start);
      judge(name, start);
    },
  }).visit(parsed.program);
  return faults;
}

/**
 * Offsets of names we didn't choose: members after a dot, and keys that a wire format prescribes.
 */
function memberNames(program: Program): Set<number> {
  const found = new Set<number>();
  const spareKey = (key: PropertyKey) => {
    if (key.type === 'Identifier' && PRESCRIBED_KEYS.has(key.name)) found.add(key.start);
  };
  new Visitor({
    MemberExpression: ({ property, computed }) => computed || found.add(property.start),
    TSQualifiedName: ({ right }) => found.add(right.start),
    Property: ({ key, shorthand }) => shorthand || spareKey(key),
    TSPropertySignature: ({ key }) => spareKey(key),
  }).visit(program);
  return found;
}

const wordsOf = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_$]+/);

/** A migration uses its transaction's time: only app_now() may read the database server's clock. */
function sqlFaults({ path, text, code }: Source): Fault[] {
  const says = "reads the server's clock; use app_now()";
  return [...withoutAppNow(code).matchAll(SQL_CLOCK)].map(({ index }) => ({
    path,
    line: lineAt(text, index),
    says,
  }));
}

function withoutAppNow(code: string): string {
  const start = code.search(/\bcreate\s+(or\s+replace\s+)?function\s+(\w+\.)?app_now\b/i);
  if (start === -1) return code;
  const rest = code.slice(start);
  const tag = rest.match(/^[^;]*?(\$\w*\$)/)?.[1];
  const body = tag === undefined ? 0 : rest.indexOf(tag, rest.indexOf(tag) + tag.length);
  const end = rest.indexOf(';', Math.max(body, 0)) + 1;
  return code.slice(0, start) + rest.slice(0, end).replace(/[^\n]/g, ' ') + rest.slice(end);
}

/** Applies the rule for SQL files to statements in TypeScript strings. */
function statementFaults({ path, text, texts }: Source): Fault[] {
  // migrate.ts is exempt: the table of migrations is created before app_now().
  const spared = isTest(path) || path === `${SERVER}db/migrate.ts`;
  if (spared || !path.startsWith(SERVER)) return [];
  const says = "a statement reads the server's clock; use app_now()";
  return [...texts.matchAll(SQL_CLOCK)].map(({ index }) => ({
    path,
    line: lineAt(text, index),
    says,
  }));
}
