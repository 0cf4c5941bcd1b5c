// The contract, the protocol and the server all have the same endpoints.
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

test("the protocol has the contract's endpoints, in the same order", () => {
  equal(agreed.length, 71);
  deepEqual(
    Object.keys(allEndpoints).filter((line) => agreed.includes(line)),
    agreed,
  );
});

test('every endpoint is served exactly once', () => {
  const offered = routeTable.map(({ line }) => line);
  equal(new Set(offered).size, offered.length, 'an endpoint is served twice');
  deepEqual(offered.toSorted(), Object.keys(allEndpoints).toSorted());
});

test('every endpoint has a fixture, and every fixture belongs to an endpoint', () => {
  deepEqual(Object.keys(fixtures).toSorted(), served.toSorted());
});

test('the endpoints that nodes call constantly, and no others, are marked as hot', () => {
  const hot = routeTable.filter(({ hot: isHot }) => isHot).map(({ line }) => line);
  const called =
    /^\w+ \/v1\/(policy\/(snapshot|delta|report)|(ratelimit|idempotency|ingest)\/\w+)$/;
  deepEqual(
    hot,
    routeTable.map(({ line }) => line).filter((line) => called.test(line)),
  );
  equal(hot.length, 11);
});

test('the endpoints that revoke or disable, and no others, have priority when connections run short', () => {
  const first = routeTable.filter(({ goesFirst }) => goesFirst).map(({ line }) => line);
  const ending = routeTable
    .map(({ line }) => line)
    .filter((line) => /\/(revoke|disable)$/.test(line));
  deepEqual(first.toSorted(), ending.toSorted());
});
