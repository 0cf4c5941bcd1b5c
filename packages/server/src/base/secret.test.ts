// Only reveal() returns a secret's text.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { openLog } from './log.ts';
import { Secret } from './secret.ts';

const TEXT = 'krsk_live_never-to-be-seen';
const secret = new Secret(TEXT);

const printed: Record<string, () => string> = {
  String: () => String(secret),
  template: () => `${secret}`,
  concatenation: () => `a${secret}b`,
  'JSON.stringify': () => JSON.stringify(secret),
  'JSON.stringify of an object': () => JSON.stringify({ nested: [{ secret }] }),
  inspect: () => inspect(secret),
  'inspect with everything shown': () =>
    inspect({ nested: { secret } }, { depth: null, showHidden: true, getters: true }),
  'format %s': () => format('%s', secret),
  'format %o': () => format('%o', secret),
  'format %O': () => format('%O', { secret }),
  'format %j': () => format('%j', { secret }),
  'Object.entries': () => JSON.stringify([Object.entries(secret), Object.keys(secret)]),
  'a spread copy': () => JSON.stringify({ ...secret }),
  'an error that contains it': () => inspect(new Error(`refused ${secret}`, { cause: { secret } })),
};

for (const [way, print] of Object.entries(printed)) {
  test(`a secret is not printed by ${way}`, () => {
    equal(print().includes('never-to-be-seen'), false);
  });
}

test('a secret is not logged', () => {
  const out = new PassThrough();
  const log = openLog('trace', out);
  log.info({ secret, nested: { secret } }, `made ${secret}`);
  log.error({ error: new Error('failed', { cause: secret }) }, 'failed');
  const lines = String(out.read());
  equal(lines.includes('never-to-be-seen'), false);
  equal(lines.includes('[secret]'), true);
});

test('a secret cannot be cloned into another thread', () => {
  deepEqual(Object.keys(structuredClone(secret)), []);
  throws(() => structuredClone(secret).reveal());
});

test("reveal returns the secret's text", () => {
  equal(secret.reveal(), TEXT);
});
