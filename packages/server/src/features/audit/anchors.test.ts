// Anchors: the latest hash of every chain that has grown is signed, and anyone can verify the
// signature with the published keys.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { canonicalJson } from '@keyrail/protocol/wire/audit-chain.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { openLog } from '../../base/log.ts';
import { rotateSigningKey } from '../../signing/rotate-signing-key.ts';
import { removeEnded } from '../../signing/rows.ts';
import { createAnchorJob } from './anchor-heads.job.ts';

const line = 'GET /v1/audit_logs/anchor';

const anchorAll = ({ testApp }: Harness) => createAnchorJob(testApp.app.worker)();

const change = (app: Harness, name: string) => app.as.liveKey('PATCH /v1/workspace', { name });

/** Verifies a signature using only Node.js and the deployment's published keys. */
async function isGenuine(app: Harness, anchor: Record<string, unknown>): Promise<boolean> {
  const { keys } = await app.as.nobody('GET /.well-known/jwks.json');
  const jwk = keys.find(({ kid, purpose }) => kid === anchor.kid && purpose === 'audit_anchor');
  if (!jwk) return false;
  const { signature, ...signed } = anchor;
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const bytes = Buffer.from(canonicalJson(signed as never));
  return verify(null, bytes, key, Buffer.from(String(signature), 'base64url'));
}

test('a workspace can read its newest anchor, and gets a 404 if there is none yet', async (t) => {
  const app = await harness(t);
  await refused(app.as.liveKey(line), 404, 'not_found');
  await anchorAll(app);
  const { head_seq: seq, head_hash: hash } = await app.as.liveKey('GET /v1/audit_logs/chain');
  const anchor = await app.as.liveKey(line);
  deepEqual(
    { ...anchor, occurred_at: '', anchored_at: '', kid: '', signature: '' },
    {
      object: 'audit_anchor',
      workspace_id: app.workspaceId,
      seq,
      hash,
      occurred_at: '',
      count: seq,
      anchored_at: '',
      kid: '',
      signature: '',
    },
  );
  for (const caller of [app.as.member, app.as.testKey, app.as.owner]) await caller(line);
});

test('an anchor’s signature covers every field, and only the right key verifies it', async (t) => {
  const app = await harness(t);
  await anchorAll(app);
  const anchor = await app.as.liveKey(line);
  equal(await isGenuine(app, anchor), true);
  for (const [name, value] of Object.entries(anchor)) {
    if (name === 'signature') continue;
    const other = typeof value === 'number' ? value + 1 : `${value}0`;
    equal(await isGenuine(app, { ...anchor, [name]: other }), false, name);
  }
  equal(await isGenuine(app, { ...anchor, more: 1 }), false);
  const { keys } = await app.as.nobody('GET /.well-known/jwks.json');
  for (const { kid } of keys.filter(({ purpose }) => purpose === 'embed_token')) {
    equal(await isGenuine(app, { ...anchor, kid }), false, 'a key of another purpose');
  }
});

test('only a chain that has grown gets a new anchor', async (t) => {
  const app = await harness(t);
  await anchorAll(app);
  const first = await app.as.liveKey(line);
  app.clock.shift(60_000);
  await anchorAll(app);
  deepEqual(await app.as.liveKey(line), first);
  await change(app, 'Moved');
  await Promise.all([anchorAll(app), anchorAll(app), anchorAll(app)]);
  const second = await app.as.liveKey(line);
  equal(second.seq, first.seq + 1);
  notEqual(second.hash, first.hash);
});

test('a chain that does not continue from its anchor gets no new anchor, and a warning is logged', async (t) => {
  const app = await harness(t);
  await change(app, 'One');
  await anchorAll(app);
  const anchor = await app.as.liveKey(line);
  const { beyond } = app.testApp;
  const tamper = (text: string) => beyond(`set local session_replication_role = replica; ${text}`);
  const own = `workspace_id = '${app.workspaceId}'`;
  const logged: string[] = [];
  const log = {
    ...openLog('silent', process.stderr),
    warn: (...args: unknown[]) => logged.push(inspect(args)),
  };
  const run = createAnchorJob({ ...app.testApp.app.worker, log });
  // First case: the hash of the anchored entry is replaced, and then the chain grows.
  await tamper(`update audit_logs set hash = repeat('a', 64) where ${own} and seq = ${anchor.seq}`);
  await change(app, 'Two');
  await run();
  deepEqual(await app.as.liveKey(line), anchor);
  match(logged.join(), /no longer match their last anchor/);
  match(logged.join(), new RegExp(app.workspaceId));
  await tamper(
    `update audit_logs set hash = '${anchor.hash}' where ${own} and seq = ${anchor.seq}`,
  );
  // Second case: the chain ends before the anchored entry.
  await tamper(`update audit_heads set seq = ${anchor.seq - 1} where ${own}`);
  await run();
  deepEqual(await app.as.liveKey(line), anchor);
  await tamper(`update audit_heads set seq = ${anchor.seq + 1} where ${own}`);
  await run();
  equal((await app.as.liveKey(line)).seq, anchor.seq + 1, 'intact again');
});

test('an old anchor can always be verified, because its public key outlives its private key', async (t) => {
  const app = await harness(t);
  const { work, signing } = app.testApp.app.worker;
  await anchorAll(app);
  const old = await app.as.liveKey(line);
  await work((tx) =>
    rotateSigningKey(tx, signing, { purpose: 'audit_anchor', cause: 'immediately' }),
  );
  await work(removeEnded);
  app.clock.shift(400 * 86_400_000);
  await work(removeEnded);
  equal(await isGenuine(app, old), true);
  const sealed = {
    text: 'select sealed_private from signing_keys where id = $1',
    values: [old.kid],
  };
  deepEqual((await work((tx) => tx.run(sealed))).rows, [{ sealedPrivate: null }]);
  const removal = { text: 'delete from signing_keys where id = $1', values: [old.kid] };
  equal((await work((tx) => tx.run(removal))).count, 0, 'the database refuses it');
  await change(app, 'Later');
  await anchorAll(app);
  const next = await app.as.liveKey(line);
  notEqual(next.kid, old.kid);
  equal(await isGenuine(app, next), true);
});
