// docs/secret-keys.md lists every permission and every profile, with exactly its permissions.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { permissions, profileNames, profiles } from '@keyrail/protocol/wire/permissions.ts';

const manual = readFileSync(new URL('../../docs/secret-keys.md', import.meta.url), 'utf8');
const rows = manual.split('\n').filter((line) => line.startsWith('| `'));
const named = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

test('docs/secret-keys.md lists each permission once', () => {
  const listed = rows
    .flatMap((row) => named(row.split('|')[1]))
    .filter((name) => name.includes(':'));
  deepEqual(listed.toSorted(), permissions.toSorted());
});

test('docs/secret-keys.md lists each profile with its permissions', () => {
  const listed = rows.map((row) => row.split('|')).filter((cells) => cells.length === 5);
  deepEqual(
    listed.map(([, name]) => named(name)[0]),
    profileNames,
  );
  for (const [, name, , held] of listed) {
    const [profile] = profileNames.filter((one) => one === named(name)[0]);
    const isRule = held?.trim() === 'every `:read` except `policy:read`';
    if (profile && !isRule) deepEqual(named(held), profiles[profile]);
    deepEqual(isRule, profile === 'read_only');
  }
});
