/**
 * What a migration may do while the previous release is running on the same database. It must not
 * hold a strong lock on a large table for longer than a moment, or remove anything the previous
 * release uses. Each file is either an expansion, which only adds things, or a contraction
 * (`NNNN_contract_…`), which removes what the previous release no longer uses.
 */

/** Tables with few rows, so they may be checked or indexed in one step. */
const SMALL = [
  'signing_keys',
  'worker_beats',
  'job_leases',
  'served_spans',
  'audit_anchor_places',
  'notice_marks',
  'backup_runs',
  'migrations',
];

type Rule = { pattern: RegExp; says: string; ofContract?: true };

/**
 * `ofContract` means that a contraction may contain the statement. If a pattern has a capture
 * group, the first one is the table's name.
 */
const RULES: Rule[] = [
  {
    pattern: /^create (?:unique )?index (?!concurrently).*? on (?:only )?([\w.]+)/,
    says: 'creates an index on an existing table, which stops its writes: use concurrently',
  },
  {
    pattern: /^alter table (?:only )?([\w.]+) .*\balter (?:column )?\w+ (?:set data )?type\b/,
    says: 'changes the type of a column, which rewrites the table',
  },
  {
    pattern: /^alter table (?:only )?([\w.]+) .*\balter (?:column )?\w+ set not null/,
    says: 'sets not null, which reads the whole table: validate a check first, in a later file',
  },
  {
    pattern:
      /^alter table (?:only )?([\w.]+) .*\badd (?:column )?(?!constraint)\w+ [^,]*\bdefault [^,]*\(/,
    says: 'adds a column with a default that is computed for each row',
  },
  {
    pattern:
      /^alter table (?:only )?([\w.]+) .*\badd (?:column )?(?!constraint|check|foreign|unique|primary|exclude)\w+ (?!.*\bdefault\b)[^,]*\bnot null/,
    says: 'adds a column that is not null without a default, which the previous release does not set',
  },
  {
    pattern:
      /^alter table (?:only )?([\w.]+) .*\badd (?:column )?\w+ [^,]*\bgenerated always as\b.*\bstored/,
    says: 'adds a stored column, which rewrites the table',
  },
  {
    pattern:
      /^alter table (?:only )?([\w.]+) .*\badd (?:constraint \w+ )?(?:check|foreign key)(?!.*\bnot valid\b)/,
    says: 'adds a constraint that reads the whole table: add it as not valid',
  },
  {
    pattern:
      /^alter table (?:only )?([\w.]+) .*\badd (?:constraint \w+ )?(?:unique|primary key|exclude)(?! using index)/,
    says: 'adds a constraint that builds an index: create it concurrently, then use it',
  },
  {
    pattern: /^(?:vacuum full|cluster|reindex (?!.*concurrently)|lock table)\b/,
    says: 'locks tables',
  },
  {
    pattern: /^drop (?:table|view|function|procedure|type|schema|policy|trigger|index)\b/,
    says: 'drops what the previous release may use',
    ofContract: true,
  },
  {
    pattern: /\bdrop column\b/,
    says: 'drops a column that the previous release may use',
    ofContract: true,
  },
  { pattern: /\brename\b/, says: 'renames what the previous release uses', ofContract: true },
  {
    pattern: /^revoke\b/,
    says: 'revokes a privilege that the previous release may use',
    ofContract: true,
  },
  {
    pattern: /^(?:update|delete from|insert into [\w.]+ .*select)\b/,
    says: 'writes many rows in one transaction: let a worker job do it',
  },
];

export type MigrationFile = { name: string; text: string };

/** Returns one file's faults, each with the statement that contains it. */
export function migrationFaults({ name, text }: MigrationFile): string[] {
  const isContract = /^\d{4}_contract_/.test(name);
  const statements = statementsIn(text);
  const created = new Set(
    statements.flatMap((each) => /^create table (?:if not exists )?([\w.]+)/.exec(each)?.[1] ?? []),
  );
  const faults = statements.flatMap((statement) =>
    RULES.filter(({ ofContract }) => !(isContract && ofContract)).flatMap(({ pattern, says }) => {
      const found = pattern.exec(statement);
      if (!found) return [];
      const table = found[1];
      if (table !== undefined && (created.has(table) || SMALL.includes(table))) return [];
      return [`${name}: ${says}: ${statement.slice(0, 80)}`];
    }),
  );
  return [...faults, ...validationFaults(name, statements)];
}

/**
 * Validating a constraint in the transaction that adds it keeps the table locked while all rows are
 * read.
 */
function validationFaults(name: string, statements: readonly string[]): string[] {
  const added = statements.flatMap((each) =>
    [...each.matchAll(/\badd constraint (\w+)/g)].map(([, one]) => one),
  );
  return statements.flatMap((statement) => {
    const validated = /\bvalidate constraint (\w+)/.exec(statement)?.[1];
    return validated !== undefined && added.includes(validated)
      ? [`${name}: validates ${validated} in the file that adds it`]
      : [];
  });
}

/** The statements in lowercase, without comments and function bodies. */
export function statementsIn(text: string): string[] {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((each) => each.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((each) => each !== '');
}
