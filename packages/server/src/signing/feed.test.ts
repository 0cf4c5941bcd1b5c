// When signatures are shared, and when the signing key is looked up again. What a signature covers
// is checked in the feed's own tests.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { JsonText } from '../base/json-text.ts';
import { openLog } from '../base/log.ts';
import { createFeedSigner } from './feed.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const answer = {
  status: 200,
  etag: 'W/"delta:1"',
  target: '/v1/policy/delta?since=0',
  isShared: true,
} as const;

function openSigner() {
  const state = { nowMs: 1_000_000, kid: 'first', isBroken: false, opened: 0 };
  const signFeed = createFeedSigner({
    findFeedSigner: async () => state.kid,
    signingKeys: {
      signing: async (): Promise<KeyObject> => {
        state.opened += 1;
        if (state.isBroken) throw new Error('the key cannot be opened');
        return privateKey;
      },
    },
    clock: { now: () => new Date(state.nowMs), shiftMs: () => 0 },
    log: openLog('silent', process.stderr),
  });
  return { state, signFeed };
}

test('identical responses within one second share a signature; all others are signed separately', async () => {
  const { state, signFeed } = openSigner();
  const body = new JsonText('{"version":1}');
  const [one, two] = await Promise.all([
    signFeed({ ...answer, body }),
    signFeed({ ...answer, body }),
  ]);
  deepEqual(one, two);
  equal(state.opened, 1);
  const others = [
    { ...answer, body: new JsonText('{"version":2}') },
    { ...answer, body, etag: 'W/"delta:2"' },
    { ...answer, body, target: '/v1/policy/delta?since=1' },
    { ...answer, body: null, status: 304 as const },
  ];
  for (const other of others) notEqual((await signFeed(other)).signature, one.signature);
  state.nowMs += 1000;
  notEqual((await signFeed({ ...answer, body })).signature, one.signature);
  equal(state.opened, 2 + others.length);
});

test('responses to requests with a nonce do not displace shared signatures', async () => {
  const { state, signFeed } = openSigner();
  const body = new JsonText('{}');
  for (let asked = 0; asked < 1500; asked += 1) {
    const target = `/v1/policy/snapshot?nonce=${asked}`;
    await signFeed({ ...answer, target, body, isShared: false });
  }
  const { opened } = state;
  deepEqual(await signFeed({ ...answer, body }), await signFeed({ ...answer, body }));
  equal(state.opened, opened + 1);
});

test('if signing fails, later requests try again', async () => {
  const { state, signFeed } = openSigner();
  const body = new JsonText('{}');
  state.isBroken = true;
  deepEqual(await signFeed({ ...answer, body }), {});
  state.isBroken = false;
  match((await signFeed({ ...answer, body })).signature ?? '', /^keyrail=:/);
});

test('five seconds after a new key takes over, no response is signed with the old key', async () => {
  const { state, signFeed } = openSigner();
  const body = new JsonText('{}');
  const signer = async () =>
    /keyid="(\w+)"/.exec((await signFeed({ ...answer, body }))['signature-input'] ?? '')?.[1];
  state.nowMs += 900;
  equal(await signer(), 'first');
  state.kid = 'second';
  const seen: (string | undefined)[] = [];
  for (let waited = 0; waited < 5000; waited += 250) {
    seen.push(await signer());
    state.nowMs += 250;
  }
  equal(seen[0], 'first');
  equal(await signer(), 'second');
});
