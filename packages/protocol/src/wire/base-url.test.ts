// Which URLs clients and nodes accept, and which would expose a credential.
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { checkBaseUrl, isUnencrypted } from './base-url.ts';

test('a URL counts as unencrypted if it uses plain HTTP to another machine', () => {
  for (const url of ['http://keys.test', 'http://10.0.0.1:4400', 'http://localhost.evil.test']) {
    equal(isUnencrypted(url), true, url);
  }
  for (const url of [
    'https://keys.test',
    'http://localhost:4400',
    'http://LOCALHOST',
    'http://a.b.localhost',
    'http://127.8.0.1',
    'http://[::1]:4400',
  ]) {
    equal(isUnencrypted(url), false, url);
  }
});

test('a base URL must have a host, may have a path, and must not contain a credential', () => {
  equal(checkBaseUrl('HTTPS://keys.test/a//'), 'https://keys.test/a');
  equal(checkBaseUrl('http://localhost/?x=1#y'), 'http://localhost');
  for (const url of ['keys.test', 'ftp://keys.test', 'http://', 'https://a:b@keys.test']) {
    throws(() => checkBaseUrl(url), TypeError, url);
  }
});
