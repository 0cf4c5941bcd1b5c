// Feed signatures, verified by an independent implementation of RFC 9421: every kind of response,
// key rotation, and separation from the other signing keys.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { createKeyrail, type KeyrailOptions } from '@keyrail/sdk';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { httpbis } from 'http-message-signatures';
import { DAY_MS, MINUTE_MS } from '../../base/duration.ts';
import { rotateSigningKey } from '../../signing/rotate-signing-key.ts';
import { removeEnded } from '../../signing/rows.ts';

/** The public half of an unrelated key. */
const OTHER_X = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';

type Got = { status: number; headers: Record<string, string>; body: Buffer };

async function signing(t: Parameters<typeof harness>[0]): Promise<Harness> {
  const app = await harness(t);
  await app.testApp.app.prepare();
  // An earlier test may have read the feed while there was no signing key, and the server remembers
  // that for five seconds.
  app.clock.shift(6000);
  return app;
}

async function get(app: Harness, url: string, more: Record<string, string> = {}): Promise<Got> {
  const headers = { authorization: `Bearer ${app.tokens.liveKey}`, ...more };
  const response = await app.testApp.app.http.inject({ url, headers });
  return {
    status: response.statusCode,
    headers: Object.fromEntries(Object.entries(response.headers).map(([k, v]) => [k, String(v)])),
    body: response.rawPayload,
  };
}

const jwksOf = ({ as }: Harness) => as.nobody('GET /.well-known/jwks.json');

/** Checks whether the independent implementation accepts the response to a request for `url`. */
async function isGenuine(
  app: Harness,
  url: string,
  { status, headers }: Omit<Got, 'body'>,
): Promise<boolean> {
  const { keys } = await jwksOf(app);
  const verified = await httpbis.verifyMessage(
    {
      all: true,
      requiredParams: ['created', 'keyid', 'alg'],
      requiredFields: ['@status', 'etag', '@path', '@query'],
      // Tests shift the clock, so signatures may appear to come from the future.
      notAfter: Number.MAX_SAFE_INTEGER,
      keyLookup: async ({ keyid }) => {
        const jwk = keys.find(({ kid, purpose }) => kid === keyid && purpose === 'policy_feed');
        if (!jwk) return null;
        const key = createPublicKey({ key: jwk, format: 'jwk' });
        return {
          id: jwk.kid,
          algs: ['ed25519'],
          verify: async (base: Buffer, signature: Buffer) => verify(null, base, key, signature),
        };
      },
    },
    { status, headers },
    { method: 'GET', url: `http://keyrail.test${url}`, headers: {} },
  );
  return verified === true;
}

const digestOf = (body: Buffer | string): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

test('an independent implementation verifies every kind of response', async (t) => {
  const app = await signing(t);
  const { id } = await app.given.project();
  for (let made = 0; made < 3; made += 1) await app.given.key({ project_id: id });
  const snapshot = `/v1/policy/snapshot?project_id=${id}&node=n%3A1`;
  const delta = `/v1/policy/delta?project_id=${id}&node=n%3A1`;
  const first = await get(app, `${snapshot}&max_keys=2`);
  const { next_cursor: cursor } = JSON.parse(first.body.toString());
  const etag = (await get(app, snapshot)).headers.etag ?? '';
  const cases: [string, number, Record<string, string>?][] = [
    [snapshot, 200],
    [`${snapshot}&max_keys=2`, 200],
    [`${snapshot}&max_keys=2&cursor=${encodeURIComponent(cursor)}`, 200],
    [`${delta}&since=1`, 200],
    [`${delta}&since=99&max_keys=1`, 200],
    [`${delta}&since=4`, 304],
    [`${delta}&since=4&wait_ms=1`, 304],
    [`${delta}&since=4&leave=true`, 304],
    [snapshot, 304, { 'if-none-match': etag }],
  ];
  for (const [url, status, headers] of cases) {
    const got = await get(app, url, headers);
    equal(got.status, status, url);
    ok(await isGenuine(app, url, got), url);
    equal(got.headers['content-digest'], status === 304 ? undefined : digestOf(got.body), url);
    const covered = status === 304 ? '"@status" "etag"' : '"@status" "content-digest" "etag"';
    const params = `keyrail=(${covered} "@path";req "@query";req);created=`;
    ok(got.headers['signature-input']?.startsWith(params), got.headers['signature-input']);
    // The signature is invalid for a different request, or if any covered value is changed.
    equal(await isGenuine(app, `${url}&max_keys=9`, got), false);
    equal(await isGenuine(app, url, { ...got, status: status + 1 }), false);
    const other = { ...got.headers, etag: 'W/"x"' };
    equal(await isGenuine(app, url, { ...got, headers: other }), false);
  }
});

test('the digest covers the uncompressed body', async (t) => {
  const app = await signing(t);
  const { id } = await app.given.project();
  for (let made = 0; made < 5; made += 1) await app.given.key({ project_id: id });
  const url = `/v1/policy/snapshot?project_id=${id}`;
  const got = await get(app, url, { 'accept-encoding': 'br' });
  equal(got.headers['content-encoding'], 'br');
  equal(got.headers['content-digest'], digestOf(brotliDecompressSync(got.body)));
  ok(await isGenuine(app, url, got));
});

test('nodes that send their ID in a header share a signature; nodes that send it in the query do not', async (t) => {
  const app = await signing(t);
  const { id } = await app.given.project();
  await app.given.key({ project_id: id });
  const url = `/v1/policy/delta?project_id=${id}&since=1`;
  const named = await Promise.all(['a', 'b'].map((node) => get(app, `${url}&node=${node}`)));
  equal(named[0]?.headers['content-digest'], named[1]?.headers['content-digest']);
  notEqual(named[0]?.headers.signature, named[1]?.headers.signature);
  equal(await isGenuine(app, `${url}&node=b`, named[0] as Got), false);
  // Signatures contain the time in seconds, so two responses have the same signature only if they
  // are signed in the same second. That must happen in at least one of three attempts.
  const both = async () =>
    Promise.all(['c', 'd'].map((node) => get(app, url, { 'keyrail-node': node })));
  const signatures = async () => new Set((await both()).map(({ headers }) => headers.signature));
  const counts = [await signatures(), await signatures(), await signatures()];
  ok(counts.some(({ size }) => size === 1));
  const { data } = await app.as.liveKey('GET /v1/policy/nodes', { project_id: id });
  deepEqual(data.map(({ node_id }) => node_id).toSorted(), ['a', 'b', 'c', 'd']);
  equal((await get(app, url, { 'keyrail-node': 'a b' })).status, 400);
});

test('a response signed for one nonce is not valid for another, and the nonce does not affect the ETag', async (t) => {
  const app = await signing(t);
  const { id } = await app.given.project();
  await app.given.key({ project_id: id });
  const asking = (nonce: string) => `/v1/policy/snapshot?project_id=${id}&nonce=${nonce}`;
  const one = asking('A'.repeat(22));
  const two = asking('_-'.repeat(11));
  const first = await get(app, one);
  const second = await get(app, two);
  deepEqual([first.status, second.status], [200, 200]);
  ok(await isGenuine(app, one, first));
  ok(await isGenuine(app, two, second));
  equal(await isGenuine(app, two, first), false);
  equal(first.headers.etag, second.headers.etag);
  equal(first.headers.etag, (await get(app, asking('').replace('&nonce=', ''))).headers.etag);
  const unchanged = await get(app, two, { 'if-none-match': first.headers.etag ?? '' });
  equal(unchanged.status, 304);
  ok(await isGenuine(app, two, unchanged));
  for (const wrong of ['', 'A'.repeat(21), 'A'.repeat(23), `${'A'.repeat(21)}%3D`]) {
    equal((await get(app, asking(wrong))).status, 400, wrong);
  }
  equal((await get(app, `${one}&nonce=${'B'.repeat(22)}`)).status, 400, 'two nonces');
  const delta = one.replace('snapshot', 'delta');
  equal((await get(app, `${delta}&since=1`)).status, 400, 'only snapshots accept one');
});

const kidIn = ({ headers }: Got): string =>
  /;keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1] ?? '';

test('a new signing key is published before it is used, and the old one stays published for another day', async (t) => {
  const app = await signing(t);
  const { worker } = app.testApp.app;
  const { id } = await app.given.project();
  const url = `/v1/policy/snapshot?project_id=${id}`;
  const published = async () =>
    (await jwksOf(app)).keys
      .filter(({ purpose }) => purpose === 'policy_feed')
      .map(({ kid }) => kid);
  const first = await get(app, url);
  const { newest } = await worker.work((tx) =>
    rotateSigningKey(tx, worker.signing, { purpose: 'policy_feed', cause: 'asked' }),
  );
  app.clock.shift(5 * MINUTE_MS);
  equal(kidIn(await get(app, url)), kidIn(first));
  ok((await published()).includes(newest.id));
  app.clock.shift(6 * MINUTE_MS);
  const second = await get(app, url);
  equal(kidIn(second), newest.id);
  app.clock.shift(DAY_MS - 2 * MINUTE_MS);
  await worker.work(removeEnded);
  for (const got of [first, second]) ok(await isGenuine(app, url, got));
  app.clock.shift(2 * MINUTE_MS);
  await worker.work(removeEnded);
  ok(!(await published()).includes(kidIn(first)));
});

test('nodes with the `feedKeys` option follow a real feed, and reject a feed signed with different keys', async (t) => {
  const app = await signing(t);
  const key = await app.given.key();
  const url = await addressOf(app.testApp);
  const pinned = await jwksOf(app);
  const stranger = { ...pinned, keys: pinned.keys.map((each) => ({ ...each, x: OTHER_X })) };
  const started = async (feedKeys: KeyrailOptions['feedKeys']) => {
    const options = { url, secretKey: app.tokens.liveKey, projectId: key.project_id, feedKeys };
    const node = createKeyrail({ ...options, telemetry: false, log: () => {} });
    t.after(() => node.close());
    return node;
  };
  const nodes = [await started('jwks'), await started(pinned)];
  for (const node of nodes) ok(await node.ready());
  const other = await started(stranger);
  const { propagation } = await app.as.liveKey('POST /v1/keys/{id}/revoke', {
    id: key.id,
    wait: true,
  });
  const acked = propagation?.nodes.filter((node) => node.acked).map(({ node_id }) => node_id);
  deepEqual(acked?.toSorted(), nodes.map((node) => node.state().nodeId).toSorted());
  for (const node of nodes) {
    equal(node.verify(key.key).allowed, false);
    equal(node.state().failure, null);
    match(node.metrics(), /keyrail_node_feed_unproven_total 0/);
  }
  equal(other.state().version, null);
  match(other.state().failure?.message ?? '', /could not be verified/);
});

test('responses are unsigned if there is no feed signing key', async (t) => {
  const app = await harness(t);
  await app.testApp.app.worker.work((tx) =>
    tx.run({ text: `delete from signing_keys where purpose = 'policy_feed'`, values: [] }),
  );
  app.clock.shift(MINUTE_MS);
  const { id } = await app.given.project();
  const { status, headers } = await get(app, `/v1/policy/snapshot?project_id=${id}`);
  equal(status, 200);
  match(headers.etag ?? '', /^W\/"snap:/);
  for (const name of ['content-digest', 'signature-input', 'signature']) {
    equal(headers[name], undefined);
  }
  // Creates a new signing key, because other tests use the same app.
  await app.testApp.app.prepare();
  app.clock.shift(MINUTE_MS);
});
