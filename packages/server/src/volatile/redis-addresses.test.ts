// How the hosts in REDIS_URL are separated.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { redisAddresses } from './redis-addresses.ts';

test("each host in a URL gets the URL's scheme, user and password", () => {
  const cases: [string, string[]][] = [
    ['redis://one', ['redis://one']],
    ['redis://one:1,two:2', ['redis://one:1', 'redis://two:2']],
    ['rediss://u:a,b@one,[::1]:7/', ['rediss://u:a,b@one/', 'rediss://u:a,b@[::1]:7/']],
    ['redis://one,', ['redis://one', 'redis://']],
    ['unix:/run/a,b.sock', ['unix:/run/a,b.sock']],
    ['', ['']],
  ];
  for (const [text, urls] of cases) deepEqual(redisAddresses(text), urls);
});
