// What a soak records: every operation with its times and outcome, and everything read at the end.
// The checks see nothing else, so a history can be checked again later, or written by hand for a
// test.

export type Args = Record<string, string | number | boolean | null>;
export type Body = Record<string, unknown>;

/**
 * `ok`: the response reports success. `fail`: it reports that nothing was done. `unknown`: there
 * was no response, or it says neither.
 */
export type Outcome = 'ok' | 'fail' | 'unknown';

export type Op = {
  client: string;
  kind: string;
  args: Args;
  /**
   * When the request was sent, and when its response arrived or the client gave up, in milliseconds
   * on the driver's monotonic clock.
   */
  t0: number;
  t1: number;
  outcome: Outcome;
  status: number;
  body: Body;
};

export type Span = { t0: number; t1: number };

export type Mail = { id: string; kind: string; to: string };

/** How soon after the last fault something worked again; null if it took too long. */
export type Recovery = { what: string; ms: number | null };

export type History = {
  workspaceId: string;
  /** The ID of the test environment's secret key. */
  testKeyId: string;
  ops: Op[];
  /** All audit rows at the end, and the number of rows before the first step. */
  audit: Body[];
  auditBefore: number;
  /** All keys and tenants at the end, including revoked ones. */
  keys: Body[];
  tenants: Body[];
  /** The number of requests per key, according to the usage metrics at the end. */
  usage: Record<string, number>;
  mails: Mail[];
  /**
   * The periods in which counters may have been lost because of a fault that is allowed to lose
   * them.
   */
  losses: Span[];
  recoveries: Recovery[];
};

export type Finding = {
  /** How many items there were to check. */
  reached: number;
  violations: string[];
};

export type Check = (history: History) => Finding;

export const emptyHistory = (): History => ({
  workspaceId: '',
  testKeyId: '',
  ops: [],
  audit: [],
  auditBefore: 0,
  keys: [],
  tenants: [],
  usage: {},
  mails: [],
  losses: [],
  recoveries: [],
});

export const opsOf = ({ ops }: Pick<History, 'ops'>, ...kinds: string[]): Op[] =>
  ops.filter(({ kind }) => kinds.includes(kind));

export const isOk = ({ outcome }: Op): boolean => outcome === 'ok';
export const mayBeDone = ({ outcome }: Op): boolean => outcome !== 'fail';

/** Groups items, in the order in which each group's first item appears. */
export function groupsOf<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(nameOf(one));
    if (group) group.push(one);
    else groups.set(nameOf(one), [one]);
  }
  return groups;
}

/**
 * Returns a field of a response body, which may be nested. Undefined if the field doesn't exist.
 */
export const within = (body: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((value, name) => Reflect.get(Object(value), name), body);

export const textOf = (body: unknown, ...names: string[]): string =>
  String(within(body, ...names) ?? '');

/** Collects one check's findings. */
export class Findings implements Finding {
  reached = 0;
  violations: string[] = [];

  /** Counts one checked item, and records a violation if the expectation doesn't hold. */
  expect(holds: boolean, sentence: () => string): void {
    this.reached += 1;
    if (!holds) this.violations.push(sentence());
  }
}
