// A soak's report, as text.
import type { Tried } from './in-turn.ts';
import type { Account } from './run.ts';

const ms = (value: number | null) => (value === null ? 'never' : `${Math.round(value)} ms`);

/** The only server error the product may return: something is temporarily unavailable. */
const UNAVAILABLE = '503';

export const violationsIn = ({ verdicts, serverErrors, tried }: Account): string[] => [
  ...Object.entries(serverErrors)
    .filter(([status]) => status !== UNAVAILABLE)
    .map(([status, count]) => `${count} responses had status ${status}`),
  ...verdicts.flatMap(({ name, violations }) => violations.map((each) => `${name}: ${each}`)),
  ...tried.flatMap(violationsOf),
];

/**
 * Even before a fault is repaired, every kind of request must be served again. After the repair,
 * every part must recover.
 */
function violationsOf(tried: Tried): string[] {
  const { part, fault, firstMs, repairedMs, wholeMs, violations } = tried;
  const missing = Object.entries(firstMs).filter(
    ([, first]) => first === null || first > repairedMs,
  );
  const name = `${part} ${fault}`;
  return [
    ...violations.map((each) => `${name}: ${each}`),
    ...missing.map(([kind]) => `${name}: no ${kind} was served before the repair`),
    ...(wholeMs === null ? [`${name}: not every part came back`] : []),
  ];
}

const seconds = (value: number | null) =>
  value === null ? 'never' : `${(value / 1_000).toFixed(1)} s`;

/** Formats the faults as a Markdown table. */
function tableOf(tried: readonly Tried[]): string[] {
  if (tried.length === 0) return [];
  return [
    '',
    '| Part | Fault | First write | First read | First check | Last failure | Failed probes | Fully recovered after repair |',
    '|---|---|---|---|---|---|---|---|',
    ...tried.map(({ part, fault, firstMs, steadyMs, failed, probes, wholeMs }) =>
      [
        `| ${part} | ${fault}`,
        ...[firstMs.write, firstMs.read, firstMs.check].map(seconds),
        steadyMs === 0 ? 'none' : seconds(steadyMs),
        `${failed} of ${probes}`,
        `${seconds(wholeMs)} |`,
      ].join(' | '),
    ),
  ];
}

/** Invariants for which there was nothing to check. They don't count as passed. */
export const unreachedIn = ({ verdicts }: Account): string[] =>
  verdicts.filter(({ reached }) => reached === 0).map(({ name }) => name);

const VIOLATIONS_SHOWN = 20;

export function reportOf(account: Account): string {
  const { order, bed, skipped, operations, faults, recoveries, residentMiB, verdicts } = account;
  const { serverErrors, tried } = account;
  const counts = Object.entries(operations);
  const total = counts.reduce((sum, [, { ok, fail, unknown }]) => sum + ok + fail + unknown, 0);
  const byKind = new Map<string, number[]>();
  for (const { kind, ms: took } of faults) byKind.set(kind, [...(byKind.get(kind) ?? []), took]);
  const violations = violationsIn(account);
  const unreached = unreachedIn(account);
  return [
    `soak on ${bed}: seed ${order.seed}, ${order.seconds} s, ${order.clients} clients`,
    ...skipped.map((each) => `NOT RUN: ${each}`),
    '',
    `${total} operations (done, refused, unknown)`,
    ...counts.map(([kind, each]) => `  ${kind}: ${each.ok}, ${each.fail}, ${each.unknown}`),
    '',
    ...Object.entries(serverErrors).map(([status, count]) => `status ${status}: ${count}`),
    `${faults.length + tried.length} faults`,
    ...[...byKind].map(
      ([kind, each]) =>
        `  ${kind}: ${each.length}, recovered after at most ${ms(Math.max(...each))}`,
    ),
    ...tableOf(tried),
    '',
    'recovery after the last fault',
    ...recoveries.map(({ what, ms: took }) => `  ${what}: ${ms(took)}`),
    ...Object.entries(residentMiB.after).map(
      ([name, after]) =>
        `  ${name}: ${Math.round(residentMiB.before[name] ?? 0)} MiB before, ${Math.round(after)} after`,
    ),
    '',
    'invariants (how often checked)',
    ...verdicts.map(
      ({ name, says, reached, violations: bad }) =>
        `  ${name} ${says}: ${bad.length > 0 ? `VIOLATED ${bad.length} times` : reached > 0 ? 'held' : 'NOT REACHED'} (${reached})`,
    ),
    ...(unreached.length > 0
      ? ['', `never exercised, so not verified: ${unreached.join(', ')}`]
      : []),
    ...(violations.length > 0 ? ['', ...violations.slice(0, VIOLATIONS_SHOWN)] : []),
    '',
    `${violations.length} violations, seed ${order.seed}`,
  ].join('\n');
}
