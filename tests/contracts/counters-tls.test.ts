// Counters over TLS, on a single server and on a Cluster. They work if the certificate is trusted;
// otherwise nothing is sent.
import { equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { openRedisCounters, type RedisCounters } from '@keyrail/server/volatile/redis.ts';
import { createCertificate } from '@keyrail/testing/certificate.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import {
  patience,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';

const directory = mkdtempSync(join(tmpdir(), 'kr-tls-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const files = createCertificate(directory, 'localhost');
const { certificate = '', key = '' } = files ?? {};

const skip = redisIsMissing() || (files === null && 'no openssl to create a certificate');
const HEALED_MS_MAX = 60_000;

const encrypted = async (): Promise<Record<string, string>> => ({
  'tls-port': String(await freePort()),
  'tls-cert-file': certificate,
  'tls-key-file': key,
  'tls-ca-cert-file': certificate,
  'tls-auth-clients': 'no',
});

function trust(t: TestContext): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, readFileSync(certificate, 'utf8')]);
  t.after(() => tls.setDefaultCACertificates(before));
}

function open(t: TestContext, url: string, isCluster: boolean): RedisCounters {
  const counters = openRedisCounters({ url, isCluster, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  return counters;
}

const aRule = () => ({
  name: `kr:{${randomUUID()}}`,
  limit: 1,
  windowMs: 60_000,
  algorithm: 'fixed' as const,
});

async function awaitReady(counters: RedisCounters): Promise<void> {
  const deadline = performance.now() + HEALED_MS_MAX;
  const isReady = () => counters.state().ready && counters.state().error === null;
  while (!isReady() && performance.now() < deadline) await sleep(20);
  equal(counters.state().error, null);
}

/** A Cluster becomes ready before it has connected to every master, so checks may fail at first. */
async function checkOnceConnected(counters: RedisCounters, rules: Rules): Promise<boolean> {
  const deadline = performance.now() + HEALED_MS_MAX;
  for (;;) {
    try {
      return (await counters.check(ownerOf(rules), rules, 1)).allowed;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

type Rules = ReturnType<typeof aRule>[];

async function counts(counters: RedisCounters): Promise<void> {
  await awaitReady(counters);
  for (let at = 0; at < 20; at += 1) {
    const rules = [aRule()];
    equal(await checkOnceConnected(counters, rules), true);
    equal(await checkOnceConnected(counters, rules), false);
  }
}

test('counters work over TLS on one server', { skip }, async (t) => {
  const settings = await encrypted();
  const server = await startRedis(settings);
  t.after(() => server.stop());
  trust(t);
  await counts(open(t, `rediss://localhost:${settings['tls-port']}`, false));
});

test('nothing is sent to a server with an untrusted certificate', { skip }, async (t) => {
  const settings = await encrypted();
  const server = await startRedis(settings);
  t.after(() => server.stop());
  const counters = open(t, `rediss://localhost:${settings['tls-port']}`, false);
  await counters.settled;
  equal(counters.state().ready, false);
  equal(Number(await server.tell('DBSIZE')), 0);
});

test('counters work over TLS on a Cluster', { skip }, async (t) => {
  const cluster = await startRedisCluster(async () => ({
    ...(await encrypted()),
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
  }));
  t.after(() => cluster.stop());
  trust(t);
  const port = String(await cluster.nodes[0]?.tell('CONFIG', 'GET', 'tls-port')).split(',')[1];
  await counts(open(t, `rediss://127.0.0.1:${port}`, true));
});
