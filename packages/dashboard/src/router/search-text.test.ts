// Reading and writing query strings.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, parseSearch } from './search-text.ts';

test('each search parameter is written as plain text, and empty parameters are left out', () => {
  equal(hrefOf('/w/acme/test/keys', { q: 'a b', state: '' }), '/w/acme/test/keys?q=a+b');
  equal(hrefOf('/account', {}), '/account');
  deepEqual(parseSearch('?q=a+b&state=active'), { q: 'a b', state: 'active' });
});

test('credentials are neither written to a URL nor read from one', () => {
  const pasted = 'Bearer pk_9f8e7d6c5b4a39281706';
  ok(!hrefOf('/', { q: pasted }).includes('39281706'));
  ok(!parseSearch(`?${new URLSearchParams({ q: pasted })}`).q?.includes('39281706'));
});
