// Anchors: every chain that moved gets a signed head, which anyone can verify with the published
// keys, and every place outside the database gets it.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { canonicalJson } from '@keyrail/protocol/wire/audit-chain.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { openLog } from '../../base/log.ts';
import { rotateSigningKey } from '../signing/rotate-signing-key.ts';
import { removeEnded } from '../signing/rows.ts';
import { createAnchorJob } from './anchor-heads.job.ts';
import { type AnchorPlace, createFilePlace, createUrlPlace } from './anchor-places.ts';
import { listPlaces } from './anchors.rows.ts';

const line = 'GET /v1/audit_logs/anchor';

const anchorAll = ({ testApp }: Harness) => createAnchorJob(testApp.app.worker)();

const change = (app: Harness, name: string) => app.as.liveKey('PATCH /v1/workspace', { name });

type Anchor = { seq: number; hash: string; workspace_id: string; kid: string };

/** Verifies a signature with nothing but Node and what the deployment publishes. */
async function isGenuine(app: Harness, anchor: Record<string, unknown>): Promise<boolean> {
  const { keys } = await app.as.nobody('GET /.well-known/jwks.json');
  const jwk = keys.find(({ kid, purpose }) => kid === anchor.kid && purpose === 'audit_anchor');
  if (!jwk) return false;
  const { signature, ...signed } = anchor;
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const bytes = Buffer.from(canonicalJson(signed as never));
  return verify(null, bytes, key, Buffer.from(String(signature), 'base64url'));
}

const directoryOf = (t: TestContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'keyrail-anchors-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
};

const fileIn = (directory: string, name: string, more = {}): AnchorPlace =>
  createFilePlace({ path: join(directory, name), host: 'here', isOwn: true, ...more });

/** A job of its own over the same store, with these places. */
const jobWith = (t: TestContext, app: Harness, ...anchorPlaces: AnchorPlace[]) =>
  createAnchorJob({
    ...appBeside(t, app.testApp, {}).app.worker,
    anchorPlaces,
    log: openLog('silent', process.stderr),
  });

const linesIn = (path: string, workspaceId: string): Anchor[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((text) => text.startsWith('{') && text.endsWith('}'))
    .map((text): Anchor => JSON.parse(text))
    .filter((anchor) => anchor.workspace_id === workspaceId);

const seqsIn = (path: string, workspaceId: string): number[] =>
  linesIn(path, workspaceId).map(({ seq }) => seq);

async function serverWith(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a workspace reads its newest signed head, and 404 before the first one', async (t) => {
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

test('the signature covers every field, and only its own key verifies it', async (t) => {
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

test('only a chain that moved gets a new anchor', async (t) => {
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

test('a chain that does not continue its anchor gets no new one, and the log says so', async (t) => {
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
  // The anchored row has another hash, and the chain grew after it.
  await tamper(`update audit_logs set hash = repeat('a', 64) where ${own} and seq = ${anchor.seq}`);
  await change(app, 'Two');
  await run();
  deepEqual(await app.as.liveKey(line), anchor);
  match(logged.join(), /do not continue their last anchor/);
  match(logged.join(), new RegExp(app.workspaceId));
  await tamper(
    `update audit_logs set hash = '${anchor.hash}' where ${own} and seq = ${anchor.seq}`,
  );
  // The head is behind the anchor.
  await tamper(`update audit_heads set seq = ${anchor.seq - 1} where ${own}`);
  await run();
  deepEqual(await app.as.liveKey(line), anchor);
  await tamper(`update audit_heads set seq = ${anchor.seq + 1} where ${own}`);
  await run();
  equal((await app.as.liveKey(line)).seq, anchor.seq + 1, 'whole again');
});

test('a file is only appended to, for its owner alone, and survives a torn line', async (t) => {
  const app = await harness(t);
  const path = join(directoryOf(t), 'deeper', 'a.jsonl');
  const run = jobWith(t, app, createFilePlace({ path, host: 'here', isOwn: true }));
  await run();
  equal(statSync(path).mode & 0o777, 0o600);
  const before = readFileSync(path, 'utf8');
  await run();
  equal(readFileSync(path, 'utf8'), before, 'nothing moved');
  appendFileSync(path, '{"object":"audit_anc');
  await change(app, 'One');
  await run();
  const [first, second, ...others] = linesIn(path, app.workspaceId);
  ok(readFileSync(path, 'utf8').startsWith(before));
  equal(second?.seq, (first?.seq ?? 0) + 1);
  deepEqual(others, []);
  deepEqual(second, await app.as.liveKey(line));
});

test('a place that lost its file, or failed, gets the newest anchor of every chain', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const directory = directoryOf(t);
  const path = join(directory, 'b.jsonl');
  const run = jobWith(t, app, fileIn(directory, 'b.jsonl'));
  await run();
  await change(app, 'Two');
  await run();
  equal(seqsIn(path, app.workspaceId).length, 2);
  rmSync(path);
  await run();
  equal(seqsIn(path, app.workspaceId).length, 1, 'only the newest');
  equal(seqsIn(path, other.workspaceId).length, 1, 'also of a chain that did not move');
});

test('an append that failed is repeated, and one place does not delay another', async (t) => {
  const app = await harness(t);
  const directory = directoryOf(t);
  let status = 500;
  const bodies: string[] = [];
  const url = await serverWith(t, async (request, answer) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (status === 200) bodies.push(`${request.headers.authorization} ${body}`);
    const isMoved = request.url === '/elsewhere';
    answer.writeHead(isMoved ? 200 : status, { location: '/elsewhere' }).end();
  });
  const address = `${url.replace('//', '//user:p%40ss@')}/anchors`;
  const place = createUrlPlace(address, [1]);
  const run = jobWith(t, app, place, fileIn(directory, 'c.jsonl'));
  const noted = async () =>
    (await app.testApp.app.worker.work(listPlaces)).find((each) => each.place === place.id);

  for (status of [500, 307]) {
    await run();
    ok(seqsIn(join(directory, 'c.jsonl'), app.workspaceId).length > 0);
    ok((await noted())?.lastError, `status ${status}`);
    equal((await noted())?.deliveredAt, null);
  }
  equal(JSON.stringify(await noted()).includes('p%40ss'), false);
  await change(app, 'Three');
  status = 200;
  await run();
  equal((await noted())?.lastError, null);
  const { seq } = await app.as.liveKey(line);
  const got = bodies.join('\n').match(new RegExp(`.*${app.workspaceId}.*`, 'g')) ?? [];
  equal(got.length, 1, 'the newest anchor, once');
  match(got[0] ?? '', new RegExp(`"seq":${seq},`));
  match(bodies[0] ?? '', new RegExp(`^Basic ${Buffer.from('user:p@ss').toString('base64')} `));
  await run();
  equal(bodies.join('\n').match(new RegExp(app.workspaceId, 'g'))?.length, 1);
});

test('the file of the data directory is replaced when large and older than a day', async (t) => {
  const app = await harness(t);
  const directory = directoryOf(t);
  const path = join(directory, 'd.jsonl');
  const run = jobWith(t, app, fileIn(directory, 'd.jsonl', { bytesMax: 100 }));
  await run();
  await change(app, 'Four');
  await run();
  equal(seqsIn(path, app.workspaceId).length, 2, 'large, but young');
  app.clock.shift(86_400_000);
  await run();
  equal(seqsIn(path, app.workspaceId).length, 1);
  equal(seqsIn(join(directory, 'd.1.jsonl'), app.workspaceId).length, 2);
});

test('a second place is never renamed, and its directory is not created', async (t) => {
  const app = await harness(t);
  const directory = directoryOf(t);
  const theirs = { isOwn: false, bytesMax: 1 };
  const run = jobWith(t, app, fileIn(directory, 'e.jsonl', theirs));
  await run();
  app.clock.shift(2 * 86_400_000);
  await change(app, 'Five');
  await run();
  equal(seqsIn(join(directory, 'e.jsonl'), app.workspaceId).length, 2);
  const missing = fileIn(join(directory, 'not mounted'), 'e.jsonl', theirs);
  await jobWith(t, app, missing)();
  const rows = await app.testApp.app.worker.work(listPlaces);
  match(rows.find(({ place }) => place === missing.id)?.lastError ?? '', /ENOENT/);
});

test('a place that is no file is refused', async (t) => {
  const app = await harness(t);
  const directory = directoryOf(t);
  writeFileSync(join(directory, 'plain'), '');
  const place = createFilePlace({ path: '/dev/null', host: 'here', isOwn: false });
  await jobWith(t, app, place)();
  const rows = await app.testApp.app.worker.work(listPlaces);
  match(rows.find((each) => each.place === place.id)?.lastError ?? '', /not a regular file/);
});

test('an old anchor verifies for good: its public key outlives its private half', async (t) => {
  const app = await harness(t);
  const { work, signing } = app.testApp.app.worker;
  await anchorAll(app);
  const old = await app.as.liveKey(line);
  await work((tx) => rotateSigningKey(tx, signing, { purpose: 'audit_anchor', cause: 'at once' }));
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
