// The path to open after sign-in must be within this application.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { checkedNext } from './next.ts';

test('a path within this application is accepted as the page to open after sign-in', () => {
  for (const path of ['/', '/w/acme/live/keys?q=a&state=active', '/workspaces/new']) {
    equal(checkedNext(path), path);
  }
});

test('a URL outside this application is never opened after sign-in', () => {
  for (const text of [
    undefined,
    '',
    'workspaces',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/w/acme#token=1',
    '/ space',
    '/..//evil.example',
    '/%0d%0aheader',
  ]) {
    const kept = checkedNext(text);
    equal(
      kept === null || (kept.startsWith('/') && new URL(kept, 'http://us').host === 'us'),
      true,
    );
  }
  equal(checkedNext('//evil.example'), null);
  equal(checkedNext('/\\evil.example'), null);
  equal(checkedNext('/w/acme#token=1'), null);
});
