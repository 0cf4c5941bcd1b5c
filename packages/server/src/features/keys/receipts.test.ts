// Receipts: what they contain, how they are verified with the published keys, and that no other
// signature from the deployment is accepted as a receipt.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { verifyReceipt } from '@keyrail/client';
import { canonicalJson } from '@keyrail/protocol/wire/audit-chain.ts';
import { signatureBase, signatureParams } from '@keyrail/protocol/wire/feed-signature.ts';
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { MASTER_KEY } from '@keyrail/testing/test-app.ts';
import { decodeProtectedHeader, SignJWT } from 'jose';
import { DAY_MS } from '../../base/duration.ts';
import { systemRandomBytes } from '../../base/random.ts';
import { createSealing, keyFor } from '../../base/sealing.ts';
import { Secret } from '../../base/secret.ts';
import { isSignedBy } from '../../signing/anchors.ts';
import { openedBy } from '../../signing/keys.ts';
import { publicKeyOf } from '../../signing/pair.ts';
import { rotateSigningKey } from '../../signing/rotate-signing-key.ts';
import { removeEnded } from '../../signing/rows.ts';

const revoke = 'POST /v1/keys/{id}/revoke';
const disable = 'POST /v1/keys/{id}/disable';

const jwksOf = ({ as }: Harness) => as.nobody('GET /.well-known/jwks.json');

/** Creates a workspace on a deployment that has signing keys. */
async function signing(t: Parameters<typeof harness>[0]): Promise<Harness> {
  const app = await harness(t);
  await app.testApp.app.prepare();
  return app;
}

/** Revokes or disables a key, and returns its receipt. */
async function ended(app: Harness, line: typeof revoke | typeof disable, id: string) {
  const { propagation } = await app.as.liveKey(line, { id, wait: true });
  ok(propagation);
  equal(typeof propagation.receipt, 'string');
  return { propagation, receipt: propagation.receipt ?? '' };
}

async function genuine(app: Harness, receipt: string) {
  const verdict = await verifyReceipt(receipt, await jwksOf(app));
  ok(verdict.valid, JSON.stringify(verdict));
  return verdict.claims;
}

test('a receipt contains the change, its nodes and its audit entry, and can be verified', async (t) => {
  const app = await signing(t);
  const key = await app.given.key();
  const policy = { project_id: key.project_id, node: 'node-1' };
  const { version: before } = await readAll(app, policy);
  const pending = ended(app, revoke, key.id);
  // The first poll gets the revocation, and the second acknowledges it.
  const held = { ...policy, since: before, wait_ms: 5000 };
  const { version } = (await poll(app, 'GET /v1/policy/delta', held)).page;
  void poll(app, 'GET /v1/policy/delta', { ...policy, since: version, wait_ms: 0 });
  const { propagation, receipt } = await pending;
  const claims = await genuine(app, receipt);
  const { data } = await app.as.liveKey('GET /v1/audit_logs', { target_id: key.id });
  const row = data.find(({ action }) => action === 'api_key.revoked');
  const { iat, lookup_hash, ...stated } = claims;
  match(lookup_hash, /^[0-9a-f]{64}$/);
  ok(iat > 0);
  deepEqual(stated, {
    iss: 'http://keyrail.test',
    ws: app.workspaceId,
    prj: key.project_id,
    env: 'live',
    key_id: key.id,
    change: 'revoked',
    version,
    complete: true,
    incomplete_reason: null,
    silent_nodes: 0,
    waited_ms: propagation.waited_ms,
    nodes: [{ node_id: 'node-1', version, acked: true }],
    audit_seq: row?.seq,
    audit_hash: row?.hash,
  });
  equal(decodeProtectedHeader(receipt).typ, 'keyrail-receipt+jwt');
});

test('a receipt identifies the audit entry that recorded the change', async (t) => {
  const app = await signing(t);
  const { as, given } = app;
  const rowOf = async (target_id: string, action: string) =>
    (await as.liveKey('GET /v1/audit_logs', { target_id, action, order: 'desc' })).data[0];
  const key = await given.key();
  const first = await genuine(app, (await ended(app, disable, key.id)).receipt);
  await as.liveKey('POST /v1/keys/{id}/enable', { id: key.id });
  const second = await genuine(app, (await ended(app, disable, key.id)).receipt);
  equal(second.audit_seq, (await rowOf(key.id, 'api_key.disabled'))?.seq);
  ok(second.audit_seq > first.audit_seq);
  equal(second.change, 'disabled');
  // The key is revoked along with its tenant, and its receipt is requested afterwards.
  await as.liveKey('DELETE /v1/tenants/{id}', { id: key.tenant_id });
  const cascade = await genuine(app, (await ended(app, revoke, key.id)).receipt);
  equal(cascade.audit_hash, (await rowOf(key.tenant_id, 'tenant.deleted'))?.hash);
});

test('without `wait` there is no receipt, and without a signing key the receipt is null', async (t) => {
  const app = await harness(t);
  await app.testApp.app.worker.work((tx) =>
    // Pretends that the receipt signing key was retired more than a year ago, because it can't be
    // deleted earlier.
    tx.run({
      text: `update signing_keys set ends_at = app_now() - interval '366 days'
        where purpose = 'receipt'`,
      values: [],
    }),
  );
  await app.testApp.app.worker.work((tx) =>
    tx.run({ text: `delete from signing_keys where purpose = 'receipt'`, values: [] }),
  );
  const key = await app.given.key();
  const answer = await app.as.liveKey(disable, { id: key.id });
  equal(answer.propagation, undefined);
  const { propagation } = await app.as.liveKey(revoke, { id: key.id, wait: true });
  equal(propagation?.receipt, null);
});

test('a retired signing key still verifies receipts for a year, with only its public half kept', async (t) => {
  const app = await signing(t);
  const { worker } = app.testApp.app;
  const key = await app.given.key();
  const { receipt } = await ended(app, revoke, key.id);
  const { kid } = decodeProtectedHeader(receipt);
  await worker.work((tx) =>
    rotateSigningKey(tx, worker.signing, { purpose: 'receipt', cause: 'immediately' }),
  );
  const next = await ended(app, revoke, key.id);
  ok(decodeProtectedHeader(next.receipt).kid !== kid, 'the new key signs');
  const privateHalf = async () =>
    (
      await worker.work((tx) =>
        tx.run({ text: 'select sealed_private from signing_keys where id = $1', values: [kid] }),
      )
    ).rows[0];
  app.clock.shift(366 * DAY_MS);
  await worker.work(removeEnded);
  equal((await privateHalf())?.sealedPrivate, null);
  await genuine(app, receipt);
  app.clock.shift(40 * DAY_MS);
  await worker.work(removeEnded);
  equal(await privateHalf(), undefined);
  equal((await verifyReceipt(receipt, await jwksOf(app))).valid, false);
});

test('a signature made for one purpose is never accepted for another', async (t) => {
  const app = await signing(t);
  const { worker } = app.testApp.app;
  const { token, headers, projectId, tenantId } = await app.embed();
  const key = await app.given.key({ project_id: projectId, tenant_id: tenantId });
  const { receipt } = await ended(app, revoke, key.id);
  const { unseal } = createSealing(keyFor('signing', new Secret(MASTER_KEY)), systemRandomBytes);
  const keyOf = async (purpose: SigningPurpose) => {
    const { current } = await worker.work((tx) =>
      rotateSigningKey(tx, worker.signing, { purpose, cause: 'first' }),
    );
    return { kid: current.id, x: current.publicKey, key: openedBy(unseal, current) };
  };
  const embed = await keyOf('embed_token');
  const receipts = await keyOf('receipt');
  const anchors = await keyOf('audit_anchor');
  const feed = await keyOf('policy_feed');
  const payloadOf = (jws: string) =>
    JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
  const forged = (jws: string, typ: string, { kid, key: with_ }: typeof embed) =>
    new SignJWT(payloadOf(jws)).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(with_);
  const jwks = await jwksOf(app);

  // None of these is a receipt: an embed token, a token with a different `typ`, and a receipt
  // signed with a key for a different purpose.
  const receiptTyp = 'keyrail-receipt+jwt';
  for (const text of [
    token,
    await forged(receipt, 'keyrail-embed+jwt', receipts),
    await forged(receipt, receiptTyp, embed),
    await forged(receipt, receiptTyp, anchors),
    await forged(receipt, receiptTyp, feed),
  ]) {
    equal((await verifyReceipt(text, jwks)).valid, false);
  }
  ok((await verifyReceipt(await forged(receipt, receiptTyp, receipts), jwks)).valid);

  // A receipt is not an embed token.
  const ask = async (text: string) =>
    (
      await app.testApp.app.http.inject({
        url: '/v1/embed/session',
        headers: { ...headers, authorization: `Bearer ${text}` },
      })
    ).statusCode;
  const embedTyp = 'keyrail-embed+jwt';
  equal(await ask(await forged(token, embedTyp, embed)), 200);
  for (const text of [
    receipt,
    await forged(token, embedTyp, receipts),
    await forged(token, embedTyp, anchors),
    await forged(token, embedTyp, feed),
    await forged(token, receiptTyp, embed),
  ]) {
    equal(await ask(text), 401);
  }

  // A receipt is not an anchor: the signed bytes of an anchor start with "{", and those of a
  // receipt (a JWS) never do.
  const anchor = {
    object: 'audit_anchor' as const,
    workspace_id: app.workspaceId,
    seq: 1,
    hash: '0'.repeat(64),
    occurred_at: '2026-01-01T00:00:00.000Z',
    count: 1,
    anchored_at: '2026-01-01T00:00:00.000Z',
    kid: anchors.kid,
  };
  const bytes = Buffer.from(canonicalJson(anchor));
  const signedBy = (with_: typeof embed) => ({
    ...anchor,
    signature: sign(null, bytes, with_.key).toString('base64url'),
  });
  const verifying = publicKeyOf(anchors.x);
  ok(isSignedBy(signedBy(anchors), verifying));
  for (const other of [embed, receipts, feed]) equal(isSignedBy(signedBy(other), verifying), false);
  for (const jws of [token, receipt]) {
    equal(isSignedBy({ ...anchor, signature: jws.split('.')[2] ?? '' }, verifying), false);
  }
});

/** The signed bytes of a feed response start with a quotation mark, and those of a JWS never do. */
test('a token’s or receipt’s signature is never accepted as a feed signature', async (t) => {
  const app = await signing(t);
  const { token, projectId, tenantId } = await app.embed();
  const key = await app.given.key({ project_id: projectId, tenant_id: tenantId });
  const { receipt } = await ended(app, revoke, key.id);
  const { keys } = await jwksOf(app);
  for (const jws of [token, receipt]) {
    const { kid = '' } = decodeProtectedHeader(jws);
    const { x = '' } = keys.find((each) => each.kid === kid) ?? {};
    const [head, body, signed = ''] = jws.split('.');
    const signature = Buffer.from(signed, 'base64url');
    const isOver = (text: string) => verify(null, Buffer.from(text), publicKeyOf(x), signature);
    ok(isOver(`${head}.${body}`));
    const answer = { status: 304, digest: null, etag: 'W/"x"', target: '/v1/policy/delta?since=1' };
    equal(isOver(signatureBase(answer, signatureParams(answer, { created: 1, kid }))), false);
  }
});

test('a receipt altered in any part is rejected with a reason', async (t) => {
  const app = await signing(t);
  const key = await app.given.key();
  const { receipt } = await ended(app, revoke, key.id);
  const jwks = await jwksOf(app);
  const [head = '', body = '', signature = ''] = receipt.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const altered = Buffer.from(JSON.stringify({ ...claims, complete: !claims.complete }));
  const texts = [
    '',
    'x',
    `${head}.${body}`,
    `${head}.${altered.toString('base64url')}.${signature}`,
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${head}.${body}.${signature}=`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
  ];
  for (const text of texts) {
    const verdict = await verifyReceipt(text, jwks);
    ok(!verdict.valid && verdict.reason.length > 10, text);
  }
  equal((await verifyReceipt(receipt, { keys: [] })).valid, false);
  ok((await verifyReceipt(`${receipt}\n`, jwks)).valid, 'as stored in a file');
});
