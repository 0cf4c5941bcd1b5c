// Which Redis URLs are accepted, for a single server and for a Cluster.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';

const redisUrlOf = (env: Record<string, string>): string | undefined => {
  const read = readConfig(env);
  return 'faults' in read ? read.faults.join() : read.config.counters.redisUrl?.reveal();
};

const faultsOf = (env: Record<string, string>): string[] => {
  const read = readConfig(env);
  return 'faults' in read ? read.faults : [];
};

test('REDIS_URL accepts a URL or a socket path', () => {
  const urls = ['redis://cache:6379/1', 'rediss://me:word@cache', 'unix:/run/redis.sock'];
  for (const url of urls) equal(redisUrlOf({ REDIS_URL: url }), url);
});

test('several hosts in REDIS_URL require Cluster mode', () => {
  const REDIS_URL = 'redis://me:a,b@one:7000,two,[::1]:7002';
  equal(redisUrlOf({ REDIS_URL, KEYRAIL_REDIS_CLUSTER: 'on' }), REDIS_URL);
  const needs = ['REDIS_URL lists several hosts, which requires KEYRAIL_REDIS_CLUSTER=on'];
  deepEqual(faultsOf({ REDIS_URL }), needs);
});

test('a Redis Cluster needs a URL; a socket path is rejected', () => {
  const needs = ['KEYRAIL_REDIS_CLUSTER requires a REDIS_URL with redis:// or rediss://'];
  const faults = (more: object) => faultsOf({ KEYRAIL_REDIS_CLUSTER: 'on', ...more });
  for (const more of [{}, { REDIS_URL: 'unix:/run/redis.sock' }]) deepEqual(faults(more), needs);
  deepEqual(faults({ REDIS_URL: 'rediss://cache' }), []);
});
