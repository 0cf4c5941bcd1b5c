// The contract, the protocol and the server name the same lines.
import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { fixtures } from './fixtures.ts';
import { routeTable, served } from './lines.ts';

const agreed = readFileSync(join(import.meta.dirname, 'contract-lines.txt'), 'utf8')
  .trim()
  .split('\n');

test('the protocol has the lines of the contract, in its order', () => {
  equal(agreed.length, 71);
  deepEqual(
    Object.keys(allEndpoints).filter((line) => agreed.includes(line)),
    agreed,
  );
});

test('every endpoint is served, and served once', () => {
  const offered = routeTable.map(({ line }) => line);
  equal(new Set(offered).size, offered.length, 'an endpoint is served twice');
  deepEqual(offered.toSorted(), Object.keys(allEndpoints).toSorted());
});

test('every endpoint has a fixture, and no fixture is left over', () => {
  deepEqual(Object.keys(fixtures).toSorted(), served.toSorted());
});

test('every endpoint that revokes goes first when connections are scarce, and no other does', () => {
  const first = routeTable.filter(({ goesFirst }) => goesFirst).map(({ line }) => line);
  const revoking = routeTable.map(({ line }) => line).filter((line) => line.endsWith('/revoke'));
  deepEqual(first.toSorted(), revoking.toSorted());
});
