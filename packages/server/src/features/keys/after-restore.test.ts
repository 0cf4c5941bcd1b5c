// Revocations right after a restore, when nodes that the database doesn't know about may be
// running. The tests only imitate what a restore does to node records; tests/journeys has a real
// restore with real nodes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, type TestContext, test } from 'node:test';
import { type ReceiptClaims, type ReceiptKeys, verifyReceipt } from '@keyrail/client';
import { REVOKE_WAIT_MS_DEFAULT } from '@keyrail/protocol/wire/limits.ts';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { SignJWT } from 'jose';
import { HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import { pruneFeed } from '../policy/prune-feed.job.ts';

const delta = 'GET /v1/policy/delta';
const revoke = 'POST /v1/keys/{id}/revoke';
const COUNTED_MS = 100 * SECOND_MS;

afterEach(async () => (await testApp()).beyond('delete from keyrail.recent_restores'));

/** Changes the database's record of nodes and versions as a restore does. */
const restore = ({ testApp: { beyond } }: Harness) =>
  beyond(`delete from keyrail.served_spans;
    update keyrail.project_versions set version = version + 1000, floor = version + 1000;
    insert into keyrail.recent_restores values (keyrail.app_now())`);

/** Loads a snapshot as a node and then polls. Only the poll acknowledges the version. */
async function acknowledge(app: Harness, project_id: string, node: string): Promise<number> {
  const { version } = await readAll(app, { project_id, node });
  await poll(app, delta, { project_id, node, since: version });
  return version;
}

/** Returns a caller whose revocations barely wait for nodes that don't respond. */
const impatient = (t: TestContext, app: Harness) =>
  appBeside(t, app.testApp, { revokeWaitMsMax: 20 }).as(app.tokens.liveKey);

test('after a restore, no revocation is reported as complete until the server has been serving for 100 s', async (t) => {
  const app = await harness(t);
  const call = impatient(t, app);
  const { id } = await app.given.key();
  const reason = async () => {
    const { propagation } = await call(revoke, { id, wait: true });
    equal(propagation?.complete, propagation?.incomplete_reason === null);
    return propagation?.incomplete_reason;
  };
  const { serve } = await servedTime(app);
  await serve(2 * COUNTED_MS);
  equal(await reason(), null);
  await restore(app);
  equal(await reason(), 'restored');
  const again = await servedTime(app);
  app.clock.shift(HOUR_MS);
  equal(await reason(), 'restored', 'the server was not serving during that hour');
  await again.serve(COUNTED_MS - 10 * SECOND_MS);
  await pruneFeed(app.testApp.app.worker);
  equal(await reason(), 'restored');
  await again.serve(20 * SECOND_MS);
  equal(await reason(), null);

  await pruneFeed(app.testApp.app.worker);
  app.clock.shift(-HOUR_MS);
  await servedTime(app);
  equal(await reason(), null, 'setting the clock back does not make the restore recent again');
});

test('after a restore, a revocation waits a second for nodes to poll, and lists the nodes that did', async (t) => {
  const app = await harness(t);
  await app.testApp.app.prepare();
  const { id, project_id } = await app.given.key();
  await servedTime(app);
  await acknowledge(app, project_id, 'known');
  await restore(app);
  await acknowledge(app, project_id, 'known');

  const pending = app.as.liveKey(revoke, { id, wait: true });
  while ((await app.as.liveKey('GET /v1/keys/{id}', { id })).revoked_at === null);
  await acknowledge(app, project_id, 'known');
  await acknowledge(app, project_id, 'unknown');
  const { propagation } = await pending;
  ok(propagation);
  const { complete, incomplete_reason, acked_nodes, total_nodes, nodes } = propagation;
  deepEqual([complete, incomplete_reason], [false, 'restored']);
  deepEqual([acked_nodes, total_nodes], [2, 2]);
  ok(nodes.every(({ acked }) => acked));
  ok(propagation.waited_ms >= SECOND_MS, 'it waited for unknown nodes to appear');
  ok(propagation.waited_ms < REVOKE_WAIT_MS_DEFAULT, 'but not as long as for missing nodes');
  const claims = await claimsOf(app, propagation.receipt);
  deepEqual([claims.complete, claims.incomplete_reason], [false, 'restored']);
  deepEqual(
    claims.nodes.map(({ node_id, acked }) => [node_id, acked]),
    [
      ['known', true],
      ['unknown', true],
    ],
  );
});

test('an acknowledgement from before a restore does not confirm a change made after it', async (t) => {
  const app = await harness(t);
  const call = impatient(t, app);
  const { id, project_id } = await app.given.key();
  const { serve } = await servedTime(app);
  await app.as.liveKey('POST /v1/keys/{id}/disable', { id });
  await acknowledge(app, project_id, 'node');
  // The key is enabled and the node applies that change. Then an older backup is restored.
  await restore(app);
  const disabling = await call('POST /v1/keys/{id}/disable', { id, wait: true });
  deepEqual(
    disabling.propagation?.nodes.map(({ acked }) => acked),
    [false],
  );
  await serve(COUNTED_MS);
  await acknowledge(app, project_id, 'node');
  const settled = await call('POST /v1/keys/{id}/disable', { id, wait: true });
  deepEqual(
    settled.propagation?.nodes.map(({ acked }) => acked),
    [true],
  );
});

test('a revocation shows whether a node that has not applied it is silent or only slow', async (t) => {
  const app = await harness(t);
  await app.testApp.app.prepare();
  const call = impatient(t, app);
  const { id, project_id } = await app.given.key();
  const { serve } = await servedTime(app);
  const { version: since } = await readAll(app, { project_id, node: 'node' });
  const result = async () => {
    const { propagation } = await call(revoke, { id, wait: true });
    const { incomplete_reason, silent_nodes } = await claimsOf(app, propagation?.receipt);
    equal(incomplete_reason, propagation?.incomplete_reason);
    equal(silent_nodes, propagation?.silent_nodes);
    return [incomplete_reason, silent_nodes];
  };
  deepEqual(await result(), ['timeout', 0]);
  await serve(50 * SECOND_MS);
  deepEqual(await result(), ['silent', 0]);
  // The node polls again, but has not applied the revocation.
  await poll(app, delta, { project_id, node: 'node', since: since - 1 });
  deepEqual(await result(), ['timeout', 0]);
  await serve(COUNTED_MS + 10 * SECOND_MS);
  deepEqual(await result(), [null, 1], 'complete, but not proven');
});

async function claimsOf(app: Harness, receipt: string | null | undefined): Promise<ReceiptClaims> {
  const jwks = await app.as.nobody('GET /.well-known/jwks.json');
  const verdict = await verifyReceipt(receipt ?? '', jwks);
  ok(verdict.valid, JSON.stringify(verdict));
  return verdict.claims;
}

test('a receipt without `silent_nodes` and `incomplete_reason` is valid; one with invalid values for them is not', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', purpose: 'receipt' };
  const jwks = { keys: [key as ReceiptKeys['keys'][number]] };
  const texts = ['iss', 'ws', 'prj', 'key_id', 'lookup_hash', 'audit_hash'].map((n) => [n, 'text']);
  const numbers = ['iat', 'version', 'waited_ms', 'audit_seq'].map((name) => [name, 1]);
  const earlier = Object.fromEntries([...texts, ...numbers]);
  const isValid = async (claims: object) => {
    const fixed = { env: 'live', change: 'revoked', complete: true, nodes: [] };
    const signed = new SignJWT({ ...earlier, ...fixed, ...claims });
    const header = { alg: 'EdDSA', typ: 'keyrail-receipt+jwt', kid: 'one' };
    const { valid } = await verifyReceipt(
      await signed.setProtectedHeader(header).sign(privateKey),
      jwks,
    );
    return valid;
  };
  equal(await isValid({}), true);
  equal(await isValid({ silent_nodes: 3, incomplete_reason: null }), true);
  equal(await isValid({ silent_nodes: '3' }), false);
  equal(await isValid({ incomplete_reason: 'unknown' }), false);
});
