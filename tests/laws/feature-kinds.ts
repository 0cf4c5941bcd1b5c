/**
 * Inside a feature, a file's name determines its kind, and its kind is its layer:
 *
 *   parts      parts.ts                what app.ts builds for the entries of a feature
 *   entry      routes.ts, *.job.ts     where a request or a schedule comes in
 *   present    present.ts              rows to wire objects
 *   operation  verb first              one change or one query: rotate-key.ts
 *   effect     queue-*.ts              work that operations queue for after the commit
 *   registry   *-registry.ts           statements of concurrent requests, sent in batches
 *   rows       rows.ts, *.rows.ts      the statements
 *   noun       anything else           pure and shared: lifetime.ts, feed-view.ts
 *
 * A file may import the kinds listed below its own, from any feature. Nouns may also import each
 * other and the types of rows, and presenters may import each other, because wire objects nest. No
 * other file imports its own kind, so operations never call each other. The linter rejects import
 * cycles.
 */

const ORDER = [
  'noun',
  'rows',
  'registry',
  'effect',
  'operation',
  'present',
  'entry',
  'parts',
] as const;

export type Kind = (typeof ORDER)[number];

/** The first words of operations' names. Add new verbs deliberately. */
const VERBS = new Set(
  `accept acknowledge append approve authorize await begin cancel change charge check claim
   clear close complete confirm consume create deactivate delete disable enable end exchange
   expire explain export fail find finish follow found heartbeat import introspect invite issue join leave
   list lock log mark measure merge move narrow open pause poll probe prune publish purge quarantine read
   record refresh register reinstate release remove rename renew replace report request
   resend reset resolve restore resume retry revoke roll rotate run save scan search send set sign
   start stop store suspend sweep switch sync take touch transfer trim unlock unquarantine
   update upgrade upsert use validate verify withdraw write`.split(/\s+/),
);

/** Nouns whose first word also happens to be a verb. */
const NOUNS = new Set(['invite-token.ts', 'list-partition.ts']);

export function kindOf(path: string): Kind {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'parts.ts') return 'parts';
  if (name === 'routes.ts' || name.endsWith('.job.ts')) return 'entry';
  if (name === 'present.ts') return 'present';
  if (name === 'rows.ts' || name.endsWith('.rows.ts')) return 'rows';
  if (name.endsWith('-registry.ts')) return 'registry';
  const [first = ''] = name.split(/[-.]/);
  if (first === 'queue') return 'effect';
  return VERBS.has(first) && !NOUNS.has(name) ? 'operation' : 'noun';
}

export function featureFault(arrow: {
  from: string;
  to: string;
  typeOnly: boolean;
}): string | null {
  const from = kindOf(arrow.from);
  const to = kindOf(arrow.to);
  if (ORDER.indexOf(to) < ORDER.indexOf(from)) return null;
  if (from === 'noun' && (to === 'noun' || (to === 'rows' && arrow.typeOnly))) return null;
  if (from === 'present' && to === 'present') return null;
  const hint = from === 'noun' ? ' (an operation is named by its verb first)' : '';
  return `${named(from)} may not import ${named(to)}${hint}: ${arrow.to}`;
}

const named = (kind: Kind) => `a file of kind "${kind}"`;
