// Edge's settings: how their values are parsed, and that all of them are documented.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { settingRows, settingsIn } from './settings.ts';

const given = {
  KEYRAIL_URL: 'http://127.0.0.1:1',
  KEYRAIL_SECRET_KEY: mintCredential('secret_key', 'live', randomBytes).secret,
  KEYRAIL_PROJECT_ID: '01890000-0000-7000-8000-00000000000a',
};

test('docs/edge.md lists every setting with its default and meaning', () => {
  const manual = readFileSync(new URL('../../../docs/edge.md', import.meta.url), 'utf8');
  deepEqual(
    manual.match(/^\| `KEYRAIL_.*$/gm),
    settingRows.map(({ name, fallback, meaning }) => {
      const shown = fallback === null ? 'none' : `\`${fallback}\``;
      return `| \`${name}\` | ${shown} | ${meaning} |`;
    }),
  );
});

test('by default, Edge listens on loopback, denies requests while it has no policy, and reports telemetry', () => {
  const { node, defaults, places } = settingsIn(given);
  deepEqual(places, [{ host: '127.0.0.1', port: 4410 }]);
  deepEqual(defaults, { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' });
  deepEqual([node.telemetry, node.env, node.cacheDir], [true, undefined, undefined]);
});

test('rate limits are checked for each request unless leases are on', () => {
  deepEqual(settingsIn(given).node.rateLimit, { leases: false });
  deepEqual(settingsIn({ ...given, KEYRAIL_EDGE_LEASES: 'on' }).node.rateLimit, { leases: true });
});

test('Edge runs a relay only if configured to, and only for a single control plane', () => {
  equal(settingsIn(given).relay, null);
  equal(settingsIn({ ...given, KEYRAIL_EDGE_RELAY: 'off' }).relay, null);
  const on = { ...given, KEYRAIL_EDGE_RELAY: '[::]:4411' };
  const place = { host: '::', port: 4411 };
  const projectId = given.KEYRAIL_PROJECT_ID;
  deepEqual(settingsIn(on).relay, { url: 'http://127.0.0.1:1', projectId, place });
  const KEYRAIL_URL = 'https://relay.example.com, https://keys.example.com';
  const urls = ['https://relay.example.com', 'https://keys.example.com'];
  deepEqual(settingsIn({ ...given, KEYRAIL_URL }).node.url, urls);
  throws(() => settingsIn({ ...on, KEYRAIL_URL }), /KEYRAIL_URL must be one URL/);
});

test('setting the relay to "on" fails with an error that asks for a host and port', () => {
  throws(() => settingsIn({ ...given, KEYRAIL_EDGE_RELAY: 'on' }), /host:port/);
});

test('by default, only proxies that connect over a Unix socket are trusted', () => {
  deepEqual(settingsIn(given).trustedProxies, ['unix']);
  const KEYRAIL_EDGE_TRUSTED_PROXIES = 'unix, 10.0.0.0/8,::1';
  const expected = ['unix', '10.0.0.0/8', '::1'];
  deepEqual(settingsIn({ ...given, KEYRAIL_EDGE_TRUSTED_PROXIES }).trustedProxies, expected);
});

test('feed keys are fetched from the control plane or read from a file', (t) => {
  const keysOf = (value: string) =>
    settingsIn({ ...given, KEYRAIL_EDGE_FEED_KEYS: value }).node.feedKeys;
  const folder = mkdtempSync(join(tmpdir(), 'kr-edge-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'jwks.json');
  writeFileSync(file, '{"keys":[]}');
  deepEqual(keysOf('jwks'), 'jwks');
  deepEqual(keysOf(file), { keys: [] });
  deepEqual(settingsIn(given).node.feedKeys, undefined);
});

test('the maximum policy age is optional', () => {
  const boundOf = (more: object) => settingsIn({ ...given, ...more }).node.maxStaleMs;
  equal(boundOf({}), null);
  equal(boundOf({ KEYRAIL_EDGE_MAX_STALE_MS: '600000' }), 600_000);
});

test('Edge can listen on several addresses', () => {
  const listen = 'unix:/run/a.sock, [::1]:1,0.0.0.0:65535';
  deepEqual(settingsIn({ ...given, KEYRAIL_EDGE_LISTEN: listen }).places, [
    { path: '/run/a.sock' },
    { host: '::1', port: 1 },
    { host: '0.0.0.0', port: 65_535 },
  ]);
});

const faults: Record<string, string>[] = [
  { KEYRAIL_URL: '' },
  { KEYRAIL_URL: 'keys.example.com' },
  { KEYRAIL_SECRET_KEY: ' ' },
  { KEYRAIL_SECRET_KEY: 'kr_live_wrong' },
  { KEYRAIL_PROJECT_ID: 'payments' },
  { KEYRAIL_ENV: 'prod' },
  { KEYRAIL_EDGE_LISTEN: '4410' },
  { KEYRAIL_EDGE_LISTEN: 'unix:relative' },
  { KEYRAIL_EDGE_LISTEN: 'host:70000' },
  { KEYRAIL_EDGE_LISTEN: ',' },
  { KEYRAIL_EDGE_ON_NO_POLICY: 'open' },
  { KEYRAIL_EDGE_TELEMETRY: 'yes' },
  { KEYRAIL_EDGE_LEASES: 'true' },
  { KEYRAIL_EDGE_MAX_STALE_MS: '1h' },
  { KEYRAIL_EDGE_RELAY: 'on' },
  { KEYRAIL_EDGE_RELAY: 'unix:/run/relay.sock' },
  { KEYRAIL_EDGE_TRUSTED_PROXIES: '127.0.0.1/33' },
  { KEYRAIL_EDGE_TRUSTED_PROXIES: '127.0.0.1/8' },
  { KEYRAIL_EDGE_TRUSTED_PROXIES: 'localhost' },
  { KEYRAIL_EDGE_TRUSTED_PROXIES: 'fe80::1%eth0' },
  { KEYRAIL_EDGE_FEED_KEYS: 'JWKS' },
  { KEYRAIL_EDGE_FEED_KEYS: '/dev/null' },
];

for (const fault of faults) {
  const [[name = '', value] = []] = Object.entries(fault);
  test(`${name}=${value} is rejected with an error that contains the setting's name`, () => {
    throws(() => settingsIn({ ...given, ...fault }), new RegExp(name));
  });
}

test('all errors are listed together, and unknown setting names come with a suggestion', () => {
  const env = {
    KEYRAIL_URL: 'http://127.0.0.1:1',
    KEYRAIL_SECRET_KEY: 'hunter2',
    KEYRAIL_EDGE_LISEN: '0.0.0.0:4410',
    KEYRAIL_CACHE_DIR: '/var/cache',
    KEYRAIL_DATA_DIR: '/var/lib/keyrail',
    KEYRAIL_EDGE_LEASES: 'yes',
  };
  throws(() => settingsIn(env), {
    message: [
      'unknown setting KEYRAIL_EDGE_LISEN; for a list, run keyrail-edge help. Did you mean KEYRAIL_EDGE_LISTEN?',
      'unknown setting KEYRAIL_CACHE_DIR; for a list, run keyrail-edge help. Did you mean KEYRAIL_EDGE_CACHE_DIR?',
      'unknown setting KEYRAIL_DATA_DIR; for a list, run keyrail-edge help',
      'KEYRAIL_PROJECT_ID must be set',
      'KEYRAIL_SECRET_KEY must be a complete secret key, krsk_…',
      'KEYRAIL_EDGE_LEASES must be on or off',
    ].join('\n'),
  });
});

test('settings for other Keyrail clients are ignored with a warning', () => {
  const { warnings } = settingsIn({ ...given, KEYRAIL_TENANT_ID: 'x', PATH: '/bin' });
  deepEqual(warnings, [
    'ignoring KEYRAIL_TENANT_ID: it is a setting for other Keyrail clients, not for Edge',
  ]);
  deepEqual(settingsIn(given).warnings, []);
});
