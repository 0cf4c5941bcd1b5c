// Mistakes in the options: those that would leave routes unprotected throw an error, and the others
// are corrected.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/wire/limits.ts';
import { PROJECT_ID, secretKeyOf } from '../test/rig.ts';
import type { KeyrailOptions } from './api/options.ts';
import { createNode } from './keyrail.ts';
import { settingsOf } from './settings.ts';

const whole = {
  url: 'https://keys.example.com',
  secretKey: secretKeyOf('live'),
  projectId: PROJECT_ID,
};

for (const [globals, name] of [
  [{ navigator: { userAgent: 'Cloudflare-Workers' } }, 'Cloudflare Workers'],
  [{ EdgeRuntime: 'edge-runtime' }, 'an edge runtime'],
  [{ EdgeRuntime: 'vercel', navigator: { userAgent: 'Mozilla/5.0' } }, 'an edge runtime'],
] as const) {
  test(`a node refuses to start on ${name} and suggests an alternative: ${JSON.stringify(globals)}`, () => {
    throws(() => createNode(whole, { globals }), {
      name: 'TypeError',
      message: new RegExp(
        `^A node cannot run on ${name}: .*Keyrail Edge, for example with its /v1/verify`,
      ),
    });
  });
}

test('a node starts on Node.js, Bun and Deno', () => {
  const agents = ['Node.js/24', 'Bun/1.3.0', 'Deno/2.5.0', undefined];
  for (const userAgent of agents) {
    const globals = { navigator: userAgent && { userAgent } };
    equal(settingsOf(whole, { globals }).projectId, PROJECT_ID);
  }
});

function settled(options: object) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level} ${message}`);
  return { settings: settingsOf({ ...whole, log, ...options }), logged };
}

test('a node needs only the three required options', () => {
  const { settings, logged } = settled({});
  deepEqual(logged, []);
  const { base, env, tenantIds, cacheDir, keyHeaders, longPoll, pollMs, telemetry } = settings;
  deepEqual(
    { base, env, tenantIds, cacheDir, keyHeaders, longPoll, pollMs },
    {
      base: 'https://keys.example.com',
      env: null,
      tenantIds: [],
      cacheDir: null,
      keyHeaders: ['authorization', 'x-api-key'],
      longPoll: true,
      pollMs: 10_000,
    },
  );
  deepEqual(telemetry, { sampleRate: 1, flushMs: 5_000, queueMax: 10_000, batchMax: 1_000 });
});

test('the last of several URLs is the control plane, and plain HTTP in any of them logs a warning', () => {
  const url = ['http://relay.example.com/', 'https://keys.example.com'];
  const { settings, logged } = settled({ url });
  deepEqual(
    [settings.bases, settings.base, logged.length],
    [['http://relay.example.com', 'https://keys.example.com'], 'https://keys.example.com', 1],
  );
});

test('plain HTTP logs one warning, except on this machine', () => {
  const warnings = (url: string) => settled({ url }).logged.length;
  for (const url of ['http://keys.example.com', 'http://10.0.0.7:4400/a', 'http://127.0.0.1.x.com'])
    equal(warnings(url), 1, url);
  const quiet = ['localhost:4400', '127.0.0.1:4400', '127.8.9.1', '[::1]:4400', 'a.localhost'];
  for (const host of quiet) equal(warnings(`http://${host}`), 0, host);
  equal(warnings('https://keys.example.com'), 0);
});

test('invalid options throw an error that does not contain the secret key', () => {
  const head = whole.secretKey.slice(0, 30);
  const tail = whole.secretKey.slice(30);
  const wrong: Record<string, unknown>[] = [
    { url: '' },
    { url: 'keys.example.com' },
    { url: 'ftp://keys.example.com' },
    { url: 'https://user:password@keys.example.com' },
    { url: undefined },
    { url: [] },
    { url: ['https://keys.example.com', 'https://keys.example.com/'] },
    { url: ['https://keys.example.com', 'keys.example.com'] },
    { url: Array.from({ length: 9 }, (_, n) => `https://relay-${n}.example.com`) },
    { secretKey: '' },
    { secretKey: head },
    { secretKey: `${head}x${tail.slice(1)}` },
    { secretKey: 'kr_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA6f93da83' },
    { secretKey: undefined },
    { projectId: 'orders' },
    { projectId: undefined },
    { env: 'staging' },
    { tenantIds: ['a'] },
    { tenantIds: Array.from({ length: 51 }, () => crypto.randomUUID()) },
    { nodeName: 'two words' },
    { nodeName: '' },
    { keyHeaders: [] },
    { keyHeaders: ['x api'] },
  ];
  for (const options of wrong) {
    throws(
      () => settled(options),
      (error: Error) => error instanceof TypeError && !error.message.includes(head),
      JSON.stringify(options),
    );
  }
});

test('out-of-range numbers are clamped with a warning', () => {
  const { settings, logged } = settled({
    pollMs: 1,
    staleAfterMs: 1e12,
    rateLimitTimeoutMs: 'soon',
    idempotencyTimeoutMs: Number.NaN,
    telemetry: { sampleRate: 7, batchMax: 1e9, queueMax: 2.5 },
  });
  const { pollMs, staleAfterMs, rateLimitTimeoutMs, idempotencyTimeoutMs, telemetry } = settings;
  deepEqual(
    [pollMs, staleAfterMs, rateLimitTimeoutMs, idempotencyTimeoutMs],
    [1_000, 86_400_000, 500, 5_000],
  );
  deepEqual([telemetry?.sampleRate, telemetry?.batchMax, telemetry?.queueMax], [1, 5_000, 2]);
  equal(logged.filter((line) => line.startsWith('warn')).length, 7);
});

test('a policy is not stale between two successful polls', () => {
  const given = { pollMs: 60_000, staleAfterMs: 30_000, longPoll: false };
  const { settings, logged } = settled(given);
  equal(settings.staleAfterMs, 90_000);
  ok(logged.some((line) => /^warn .*staleAfterMs is 30000.*90000/.test(line)));
  deepEqual(settled({ pollMs: 60_000 }).logged, []);
  const impatient = settled({ staleAfterMs: 9_000 });
  deepEqual([impatient.settings.pollMs, impatient.settings.staleAfterMs], [6_000, 9_000]);
  deepEqual(impatient.logged, []);
});

test('polls are frequent enough for revocations to wait for the node', () => {
  const { settings, logged } = settled({ pollMs: 120_000, longPoll: false });
  const latestMs = settings.pollMs * 1.2 + 10_000;
  ok(latestMs < NODE_SEEN_WITHIN_MS, `${latestMs}`);
  ok(logged.some((line) => /^warn .*pollMs/.test(line)));
});

test('an unknown option is ignored with a warning', () => {
  const { logged } = settled({ projctId: 'x', telemetry: { sample: 1 } });
  ok(logged.some((line) => line.includes('projctId')));
  ok(logged.some((line) => line.includes('sample')));
});

test('a log function that throws does not fail a request', () => {
  const log: KeyrailOptions['log'] = () => {
    throw new Error('full');
  };
  settingsOf({ ...whole, log, pollMs: 1 }).log('error', 'x');
});

test('two nodes with the same name have different IDs', () => {
  const names = Array.from({ length: 50 }, () => settled({ nodeName: 'api' }).settings.nodeId);
  equal(new Set(names).size, 50);
  ok(names.every((name) => /^api:[0-9a-f]{8}$/.test(name)));
  ok(/^[A-Za-z0-9._:-]{1,128}$/.test(settled({}).settings.nodeId));
});
