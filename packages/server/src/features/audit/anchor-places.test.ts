// Every destination outside the database, whether a file or a URL, gets the newest anchor of each
// chain, even after a failure.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { openLog } from '../../base/log.ts';
import { createAnchorJob } from './anchor-heads.job.ts';
import { type AnchorPlace, createFilePlace, createUrlPlace } from './anchor-places.ts';
import { listPlaces } from './anchors.rows.ts';

const line = 'GET /v1/audit_logs/anchor';

const change = (app: Harness, name: string) => app.as.liveKey('PATCH /v1/workspace', { name });

type Anchor = { seq: number; workspace_id: string };

const directoryOf = (t: TestContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'keyrail-anchors-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
};

const fileIn = (directory: string, name: string, more = {}): AnchorPlace =>
  createFilePlace({ path: join(directory, name), host: 'here', isOwn: true, ...more });

/** A job with its own destinations that uses the app's database. */
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

test('an anchor file is only appended to, even after a torn line, and only its owner can read it', async (t) => {
  const app = await harness(t);
  const path = join(directoryOf(t), 'deeper', 'a.jsonl');
  const run = jobWith(t, app, createFilePlace({ path, host: 'here', isOwn: true }));
  await run();
  equal(statSync(path).mode & 0o777, 0o600);
  const before = readFileSync(path, 'utf8');
  await run();
  equal(readFileSync(path, 'utf8'), before, 'no chain has grown');
  appendFileSync(path, '{"object":"audit_anc');
  await change(app, 'One');
  await run();
  const [first, second, ...others] = linesIn(path, app.workspaceId);
  ok(readFileSync(path, 'utf8').startsWith(before));
  equal(second?.seq, (first?.seq ?? 0) + 1);
  deepEqual(others, []);
  deepEqual(second, await app.as.liveKey(line));
});

test('a destination whose file was deleted gets the newest anchor of every chain', async (t) => {
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
  equal(seqsIn(path, other.workspaceId).length, 1, 'even for a chain that has not grown');
});

test('a failed append is retried, and one destination’s failure does not affect another', async (t) => {
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

test('the anchor file in the data directory is replaced once it is both large and more than a day old', async (t) => {
  const app = await harness(t);
  const directory = directoryOf(t);
  const path = join(directory, 'd.jsonl');
  const run = jobWith(t, app, fileIn(directory, 'd.jsonl', { bytesMax: 100 }));
  await run();
  await change(app, 'Four');
  await run();
  equal(seqsIn(path, app.workspaceId).length, 2, 'large, but recent');
  app.clock.shift(86_400_000);
  await run();
  equal(seqsIn(path, app.workspaceId).length, 1);
  equal(seqsIn(join(directory, 'd.1.jsonl'), app.workspaceId).length, 2);
});

test('a file outside the data directory is never renamed, and its directory is not created', async (t) => {
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

test('a destination path that is not a regular file is rejected', async (t) => {
  const app = await harness(t);
  const place = createFilePlace({ path: '/dev/null', host: 'here', isOwn: false });
  await jobWith(t, app, place)();
  const rows = await app.testApp.app.worker.work(listPlaces);
  match(rows.find((each) => each.place === place.id)?.lastError ?? '', /not a regular file/);
});
