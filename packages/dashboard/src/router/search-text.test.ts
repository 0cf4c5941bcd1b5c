// The search of an address.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, parseSearch } from './search-text.ts';

test('an address has its search in flat strings, without empty ones', () => {
  equal(hrefOf('/w/acme/test/keys', { q: 'a b', state: '' }), '/w/acme/test/keys?q=a+b');
  equal(hrefOf('/account', {}), '/account');
  deepEqual(parseSearch('?q=a+b&state=active'), { q: 'a b', state: 'active' });
});

test('a pasted credential never enters a URL and is never read from one', () => {
  const pasted = 'Bearer pk_9f8e7d6c5b4a39281706';
  ok(!hrefOf('/', { q: pasted }).includes('39281706'));
  ok(!parseSearch(`?${new URLSearchParams({ q: pasted })}`).q?.includes('39281706'));
});
