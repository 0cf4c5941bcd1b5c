/**
 * A reporter that Node.js's test runner loads into every process that runs test files. It writes
 * test events as JSON lines, synchronously, so that no event is lost in a crash.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

type What =
  | { kind: 'began'; name: string }
  | { kind: 'passed'; name: string }
  | { kind: 'skipped'; name: string; reason: string }
  | { kind: 'failed'; name: string; error: string }
  | { kind: 'ended' };

/** A test event, when it happened, and how much CPU time its process had used by then. */
export type Happening = What & { file: string | undefined; atMs: number; cpuMs: number };

// biome-ignore lint/style/noDefaultExport: Node.js finds a reporter by its default export.
export default async function* writeHappenings(events: AsyncIterable<TestEvent>) {
  const path = process.env.KEYRAIL_TEST_EVENTS;
  if (path === undefined) throw new Error('KEYRAIL_TEST_EVENTS is not set.');
  const names: string[] = [];
  for await (const event of events) {
    const what = happeningOf(event, names);
    if (!what) continue;
    const file = event.data && 'file' in event.data ? event.data.file : undefined;
    const happening: Happening = { ...what, file, atMs: Date.now(), cpuMs: cpuMs() };
    appendFileSync(path, `${JSON.stringify(happening)}\n`);
  }
  // Reporters have to be generators. Nothing is printed here, so this one yields an empty string.
  yield '';
}

const TICK_MS = 10;

/** The CPU time of this process and of any children that have exited. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ofChildren = (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  return Math.round((user + system) / 1000) + ofChildren;
}

function happeningOf(event: TestEvent, names: string[]): What | null {
  switch (event.type) {
    case 'test:dequeue':
      return { kind: 'began', name: event.data.name };
    case 'test:start':
      names.splice(event.data.nesting, names.length, event.data.name);
      return null;
    case 'test:pass':
      return passed(event.data, fullName(names, event.data));
    case 'test:fail':
      return failed(event.data.details, fullName(names, event.data));
    case 'test:summary':
      return { kind: 'ended' };
    default:
      return null;
  }
}

type Passed = Extract<TestEvent, { type: 'test:pass' }>['data'];
type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];

function passed({ details, skip, todo }: Passed, name: string): What | null {
  const excuse = skip ?? todo;
  if (excuse !== undefined && excuse !== false) {
    return {
      kind: 'skipped',
      name,
      reason: excuse === true ? 'no reason given' : excuse || 'todo',
    };
  }
  // A suite only groups tests, and each of those is counted on its own.
  return details.type === 'suite' ? null : { kind: 'passed', name };
}

function failed({ type, error }: Failed['details'], name: string): What | null {
  const why = 'failureType' in error ? error.failureType : undefined;
  if (why === 'subtestsFailed' && type === 'suite') return null;
  if (why === 'subtestsFailed') return { kind: 'failed', name, error: 'A test inside it failed.' };
  return { kind: 'failed', name, error: readable(error.cause ?? error) };
}

const fullName = (names: string[], { nesting, name }: { nesting: number; name: string }) =>
  [...names.slice(0, nesting), name].join(' › ');

/** Formats an error without the stack frames inside Node.js. */
const readable = (error: unknown) =>
  inspect(error, { depth: 6, colors: false, maxStringLength: 4_000 })
    .split('\n')
    .filter((line) => !/^\s+at .*node:internal/.test(line))
    .join('\n');
