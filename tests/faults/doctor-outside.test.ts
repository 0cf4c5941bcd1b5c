// The doctor's checks of everything outside the database, each tested with something that is really
// broken: Redis, the mail server, the public URL, files and the disk.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { versionFaults as postgresVersion } from '@keyrail/server/doctor/database-check.ts';
import { versionFaults as redisVersion } from '@keyrail/server/doctor/redis-check.ts';
import { createCertificate } from '@keyrail/testing/certificate.ts';
import { inherited, serverProgram } from '@keyrail/testing/processes/environment.ts';
import { openSink } from '@keyrail/testing/smtp-sink.ts';
import { redisIsMissing, startRedis, startRedisCluster } from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';
import { diagnosed, found, messagesOf, quietSettings } from './doctor.ts';

const noRedis = redisIsMissing();

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

test('versions that are too old are reported as errors', () => {
  deepEqual(postgresVersion({ version: 150_000, shown: '15.0' }), []);
  equal(postgresVersion({ version: 140_012, shown: '14.12' })[0]?.severity, 'error');
  for (const version of ['6.2.0', '7.0.15', '10.1.0'])
    deepEqual(redisVersion({ name: 'x', version }), []);
  for (const version of ['6.0.16', '5.9.9', 'unknown']) {
    equal(redisVersion({ name: 'x', version })[0]?.severity, 'error', version);
  }
});

test('the doctor checks Redis: its eviction policy, memory, permissions, role and responses', {
  skip: noRedis,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const settings = { ...(await quietSettings(t)), REDIS_URL: redis.url };
  const { tell } = redis;
  equal(found(await diagnosed(settings), 'redis', /Redis is reachable: 127/).severity, 'ok');
  const bySocket = await diagnosed({ ...settings, REDIS_URL: redis.socketUrl });
  equal(found(bySocket, 'redis', /Redis is reachable: \//).severity, 'ok');

  await tell('CONFIG', 'SET', 'maxmemory', '100mb');
  await tell('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const evicting = found(await diagnosed(settings), 'redis', /maxmemory-policy is allkeys-lru/);
  deepEqual([evicting.severity, /noeviction/.test(evicting.remedy ?? '')], ['warning', true]);
  await tell('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await tell('CONFIG', 'SET', 'maxmemory', '1100kb');
  equal(found(await diagnosed(settings), 'redis', /near maxmemory/).severity, 'warning');
  await tell('CONFIG', 'SET', 'maxmemory', '0');

  const clustered = await diagnosed({ ...settings, KEYRAIL_REDIS_CLUSTER: 'on' });
  ok(messagesOf(clustered, 'redis', 'error').length > 0, 'a single server is not a Cluster');

  await tell('ACL', 'SETUSER', 'limited', 'on', '>pass-canary', '~*', '+@all', '-eval');
  const limited = redis.url.replace('//', '//limited:pass-canary@');
  const denied = await diagnosed({ ...settings, REDIS_URL: limited });
  equal(found(denied, 'redis', /refuses to write a counter: NOPERM/).severity, 'error');
  const wrong = limited.replace('pass-canary', 'wrong-canary');
  const refused = await diagnosed({ ...settings, REDIS_URL: wrong });
  equal(found(refused, 'redis', /Can't reach Redis at .*: WRONGPASS/).severity, 'error');
  ok(!JSON.stringify([denied, refused]).includes('canary'));

  await tell('REPLICAOF', '127.0.0.1', '1');
  equal(found(await diagnosed(settings), 'redis', /is a read-only replica/).severity, 'error');
  redis.freeze();
  equal(
    found(await diagnosed(settings), 'redis', /Can't reach Redis at .*timed? ?out/i).severity,
    'error',
  );
  redis.thaw();
  await redis.crash();
  equal(
    found(await diagnosed(settings), 'redis', /Can't reach Redis at .*ECONNREFUSED/).severity,
    'error',
  );
});

test("the doctor checks a Redis Cluster, and reports one that lacks a master or isn't configured as a Cluster", {
  skip: noRedis,
}, async (t) => {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  const single = { ...(await quietSettings(t)), REDIS_URL: cluster.url };
  equal(found(await diagnosed(single), 'redis', /node of a Cluster/).severity, 'error');
  const settings = { ...single, KEYRAIL_REDIS_CLUSTER: 'on' };
  const whole = await diagnosed(settings);
  deepEqual(messagesOf(whole, 'redis', 'error'), []);
  equal(messagesOf(whole, 'redis', 'warning').length, 3, 'each master needs full coverage');
  for (const node of cluster.nodes) {
    await node.tell('CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  }
  equal(found(await diagnosed(settings), 'redis', /^Redis is reachable: .*, .*, /).severity, 'ok');
  const [first, , third] = cluster.nodes;
  await third?.crash();
  await until(
    async () => /cluster_slots_fail:[1-9]/.test(String(await first?.tell('CLUSTER', 'INFO'))),
    60_000,
  );
  const findings = await diagnosed(settings);
  equal(found(findings, 'redis', /5462 slots have no working primary/).severity, 'error');
  found(findings, 'redis', /Can't reach Redis at /);
});

/** A Redis whose clock is ahead: replaces the seconds in its TIME responses. */
async function aheadBy(t: TestContext, port: number, seconds: number): Promise<number> {
  const later = (text: string) =>
    text.replace(
      /(\*2\r\n\$10\r\n)(\d{10})\r\n/,
      (_, head, at) => `${head}${Number(at) + seconds}\r\n`,
    );
  const server = createTcpServer((client) => {
    const target = connect(port, '127.0.0.1');
    client.pipe(target);
    target.on('data', (chunk) => client.write(later(chunk.toString('latin1')), 'latin1'));
    for (const socket of [client, target]) socket.on('error', () => {});
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  return portOf(t, server);
}

test('the doctor reports a Redis clock that is ahead', { skip: noRedis }, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const settings = await quietSettings(t);
  const clocks = async (port: number) =>
    (await diagnosed({ ...settings, REDIS_URL: `redis://127.0.0.1:${port}` })).filter(
      ({ check }) => check === 'clocks',
    );
  deepEqual(
    (await clocks(redis.port)).map(({ severity }) => severity),
    ['ok'],
  );
  for (const [seconds, severity] of [
    [20, 'warning'],
    [-90, 'error'],
  ] as const) {
    const found = await clocks(await aheadBy(t, redis.port, seconds));
    deepEqual(
      found.map((each) => each.severity),
      [severity],
    );
    match(found[0]?.message ?? '', /this machine and Redis at .* differ by \d+\.\d s/);
  }
});

test('the doctor tests each step of the email handshake', async (t) => {
  const settings = await quietSettings(t);
  const mail = async (url: string) => {
    const findings = await diagnosed({ ...settings, KEYRAIL_MAIL: url });
    return findings.filter(({ check }) => check === 'mail')[0];
  };
  const sink = await openSink({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
  });
  t.after(() => sink.close());
  equal((await mail(sink.url('user:right')))?.severity, 'ok');
  const wrong = await mail(sink.url('user:wrong-canary'));
  deepEqual([wrong?.severity, /password/.test(wrong?.remedy ?? '')], ['error', true]);
  ok(!JSON.stringify(wrong).includes('wrong-canary'));
  const plain = await mail(sink.url('user:right').replace('smtp:', 'smtps:'));
  equal(plain?.severity, 'error', 'TLS to a server without TLS');
  equal(sink.letters.length, 0, 'no email is sent');
  const silent = await portOf(
    t,
    createTcpServer(() => {}),
  );
  match((await mail(`smtp://127.0.0.1:${silent}`))?.message ?? '', /Greeting never received/);
  match((await mail('smtp://127.0.0.1:1'))?.message ?? '', /ECONNREFUSED/);
  const file = join(settings.KEYRAIL_DATA_DIR, 'plain-file');
  await writeFile(file, '');
  equal((await mail(`file:${file}/mail`))?.severity, 'error');
});

test('the doctor reports a public URL that is unreachable, wrong, redirected or unencrypted', async (t) => {
  const settings = await quietSettings(t);
  const url = async (publicUrl: string) =>
    (await diagnosed({ ...settings, KEYRAIL_PUBLIC_URL: publicUrl })).filter(
      ({ check }) => check === 'public url',
    );
  const serving = async (listener: RequestListener) => portOf(t, createServer(listener));
  const health = { status: 'ok', region: 'local', redis: {} };
  const states = { components: { api: 'ok', worker: 'down', database: 'degraded' } };
  const own = await serving((request, answer) =>
    answer.end(JSON.stringify(request.url === '/status' ? states : health)),
  );
  const reported = await url(`http://127.0.0.1:${own}`);
  deepEqual(
    reported.map(({ severity, message }) => `${severity} ${message}`),
    [
      'error The running server reports worker as down.',
      'warning The running server reports database as degraded.',
    ],
  );
  match((await url(`http://0.0.0.0:${own}`))[0]?.message ?? '', /isn't encrypted/);
  const other = await serving((_, answer) => answer.end('<h1>It works</h1>'));
  match((await url(`http://127.0.0.1:${other}`))[0]?.message ?? '', /it isn't Keyrail/);
  const moved = await serving((_, answer) =>
    answer.writeHead(308, { location: 'https://x/' }).end(),
  );
  match((await url(`http://127.0.0.1:${moved}`))[0]?.message ?? '', /redirects to https:\/\/x\//);
  const [gone] = await url('http://127.0.0.1:1');
  equal(gone?.severity, 'error');
  match(gone?.message ?? '', /127\.0\.0\.1:1.*\w/);

  const pair = createCertificate(settings.KEYRAIL_DATA_DIR, 'localhost');
  if (pair === null) return;
  const tls = createTlsServer(
    { cert: readFileSync(pair.certificate), key: readFileSync(pair.key) },
    (_, answer) => answer.end(JSON.stringify(health)),
  );
  const secure = await portOf(t, tls);
  match((await url(`https://localhost:${secure}`))[0]?.message ?? '', /self-signed certificate/);
});

test('the doctor reports files that others can read, and a directory that is not writable', async (t) => {
  const settings = await quietSettings(t);
  const { KEYRAIL_DATA_DIR: directory } = settings;
  await chmod(directory, 0o755);
  equal(found(await diagnosed(settings), 'files', /can list/).severity, 'warning');
  await writeFile(join(directory, 'bootstrap-token'), 'x'.repeat(40), { mode: 0o644 });
  const open = found(await diagnosed(settings), 'files', /can read .*bootstrap-token/);
  deepEqual([open.severity, /chmod 600/.test(open.remedy ?? '')], ['error', true]);
  const inFile = join(directory, 'bootstrap-token', 'inside');
  const closed = await diagnosed({ ...settings, KEYRAIL_DATA_DIR: inFile });
  equal(found(closed, 'files', /isn't writable/).severity, 'error');
});

test('the doctor reports a disk that is nearly full', async (t) => {
  const settings = await quietSettings(t);
  const { KEYRAIL_DATA_DIR: directory } = settings;
  const small = join(directory, 'small');
  await mkdir(small);
  const run = promisify(execFile);
  const doctor = (size: string) => {
    const program = [process.execPath, ...serverProgram(['doctor', '--json'])];
    const script = `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`;
    const env = { ...inherited(), ...settings, KEYRAIL_DATA_DIR: small };
    return run('unshare', ['--mount', 'sh', '-c', script, small, ...program], { env }).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
  };
  const { stdout } = await doctor('100m');
  if (stdout === '') return t.skip('tests cannot mount a file system on this machine');
  match(stdout, /"check":"disk","severity":"warning","message":"[^"]*only 100 MiB free/);
  match((await doctor('20m')).stdout, /"check":"disk","severity":"error"/);
});
