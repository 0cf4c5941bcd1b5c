import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { copyFaults, type WireNames, wireNames } from './copies.ts';
import { list, source, sources } from './tree.ts';

const screen = 'packages/dashboard/src/screens/keys/search.ts';
const names: WireNames = new Map([
  ['HOUR_MS', null],
  ['OVERLAP_HOURS_MAX', 168],
  ['Env', null],
  ['roles', null],
]);
const says = (path: string, text: string) =>
  copyFaults(source(path, text), names).map((fault) => fault.says);
const refused = (path: string, text: string) => ok(says(path, text).length > 0, `${path}: ${text}`);
const allowed = (path: string, text: string) => deepEqual(says(path, text), []);

test('no constant from protocol/wire is defined again, and no error is recognised by its message', () => {
  const all = sources(['ts', 'tsx']);
  const wire = wireNames(all);
  ok(wire.size > 200, 'the constants were found');
  deepEqual(list(all.flatMap((one) => copyFaults(one, wire))), []);
});

test("a constant's name cannot be reused", () => {
  refused(screen, 'const HOUR_MS = 3_600_000;');
  refused(screen, 'export const HOUR_MS = 60 * MINUTE_MS;');
  refused(screen, "const roles = ['owner'] as const;");
  refused(screen, "type Env = 'live' | 'test';");
  refused(screen, 'const OVERLAP_HOURS_MAX = 48;');
  refused('packages/sdk/src/clock.ts', 'const OVERLAP_HOURS_MAX = 168;');
  allowed('packages/sdk/src/clock.ts', 'const OVERLAP_HOURS_MAX = 48;');
  allowed(screen, "export type { Env } from '@keyrail/protocol/wire/env.ts';");
  allowed(screen, "type Env = Place['env'];");
  allowed(screen, 'function f() { const roles = [1]; }');
  allowed(screen, 'const roles = rolesOf(member);');
});

test('a number counts as a duplicate if its value and the last words of its name are the same', () => {
  refused(screen, 'const HOURS_MAX = 168;');
  allowed(screen, 'const HOURS_MAX = 100;');
  allowed(screen, 'const SHOWN_MAX = 168;');
  allowed(screen, 'const MAX = 168;');
  allowed('packages/sdk/src/clock.ts', 'const HOURS_MAX = 168;');
});

test('lengths of hours and days, and UUID patterns, must come from a shared constant', () => {
  refused(screen, 'const RECENT_MS = 3_600_000;');
  refused(screen, 'const at = now - 86_400_000;');
  allowed('packages/sdk/src/clock.ts', 'const RETRY_MS = 3_600_000;');
  refused(screen, 'const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;');
  refused(screen, 'const ID = /^[0-9a-f-]{36}$/;');
  allowed(screen, 'const HASH = /^[0-9a-f]{64}$/;');
});

test('errors are recognised by their code', () => {
  refused(screen, "if (error.message === 'This slug is taken.') f();");
  refused(screen, 'const isThat = error.message === OTHER;');
  refused(screen, 'if (message !== SILENT) f();');
  allowed(screen, "if (error.code === 'conflict') f();");
  allowed(screen, "if (typeof message === 'string') f();");
  allowed(screen, 'const isNew = before.message !== after.message;');
  allowed(screen, '// error.message === OTHER\n');
});

test('tests and protocol/wire itself may write out constants', () => {
  allowed('packages/dashboard/src/times.test.ts', 'const HOUR_MS = 3_600_000;');
  allowed('packages/protocol/src/wire/durations.ts', 'export const HOUR_MS = 3_600_000;');
});
