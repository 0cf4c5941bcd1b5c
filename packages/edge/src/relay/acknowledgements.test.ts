// Reports about nodes are batched and sent in order, and no node gets a response until it has been
// reported.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { POLICY_REPORT_NODES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { manualTime, settled } from '../../test/manual-time.ts';
import { createAcknowledgements, WAITING_MAX } from './acknowledgements.ts';
import { type Answer, Unreachable, type Upstream } from './upstream.ts';

type Sent = { project_id: string; env?: string; nodes: { node_id: string; version: number }[] };

const feed = { credential: 'Bearer one', projectId: 'p', env: null };
const ackOf = (node: string, version: number | null = 1) => ({
  node,
  name: 'pod',
  nextPollMs: 25_000,
  version,
  sdk: null,
  understands: null,
});
const answerOf = (status: number, body: object): Answer => ({
  status,
  headers: [],
  body: Buffer.from(JSON.stringify(body)),
  sent: '',
  version: null,
});

function scene() {
  const clock = manualTime();
  const sent: (Sent & { credential: string | undefined })[] = [];
  const answers: PromiseWithResolvers<Answer>[] = [];
  const ask: Upstream['ask'] = ({ body = '', headers }) => {
    sent.push({ ...JSON.parse(body), credential: headers.authorization });
    const answer = Promise.withResolvers<Answer>();
    answers.push(answer);
    return answer.promise;
  };
  const { report } = createAcknowledgements({ ask }, clock);
  const accept = (at: number, version: number) => answers[at]?.resolve(answerOf(200, { version }));
  return { clock, sent, answers, report, accept };
}

test('nodes that poll at the same moment are reported together, each exactly once', async () => {
  const { clock, sent, report, accept } = scene();
  const reports = [report(feed, ackOf('a')), report(feed, ackOf('b')), report(feed, ackOf('a', 2))];
  await clock.pass(10);
  deepEqual(
    sent[0]?.nodes.map(({ node_id, version }) => `${node_id} ${version}`),
    ['a 2', 'b 1'],
  );
  accept(0, 7);
  deepEqual(await Promise.all(reports), [{ version: 7 }, { version: 7 }, { version: 7 }]);
  equal(sent.length, 1);
});

test('the next report is not sent until the previous one is confirmed', async () => {
  const { clock, sent, report, accept } = scene();
  const first = report(feed, ackOf('a', 1));
  await clock.pass(10);
  const second = report(feed, ackOf('a', 2));
  await clock.pass(1000);
  equal(sent.length, 1);
  accept(0, 1);
  deepEqual(await first, { version: 1 });
  await clock.pass(10);
  equal(sent.length, 2);
  accept(1, 2);
  deepEqual(await second, { version: 2 });
});

test('a report contains at most a thousand nodes', async () => {
  const { clock, sent, report, accept } = scene();
  const reports = Array.from({ length: 2_500 }, (_, n) => report(feed, ackOf(`n${n}`)));
  for (const at of [0, 1, 2]) {
    await clock.pass(10);
    accept(at, 1);
    await settled();
  }
  await Promise.all(reports);
  deepEqual(
    sent.map(({ nodes }) => nodes.length),
    [1000, 1000, 500],
  );
});

test('nodes with different secret keys, projects or environments are reported separately', async () => {
  const { clock, sent, report } = scene();
  const feeds = [
    feed,
    { ...feed, credential: 'Bearer two' },
    { ...feed, projectId: 'q' },
    { ...feed, env: 'test' },
  ];
  for (const each of feeds) void report(each, ackOf('a'));
  await clock.pass(10);
  deepEqual(
    sent.map(({ credential, project_id, env }) => [credential, project_id, env]),
    [
      ['Bearer one', 'p', undefined],
      ['Bearer two', 'p', undefined],
      ['Bearer one', 'q', undefined],
      ['Bearer one', 'p', 'test'],
    ],
  );
});

test('a rejected or failed report affects only the nodes it contains', async () => {
  const { clock, answers, report, accept } = scene();
  const refused = report(feed, ackOf('a'));
  await clock.pass(10);
  answers[0]?.resolve(answerOf(401, {}));
  const outcome = await refused;
  equal('refused' in outcome && outcome.refused.status, 401);
  const failed = report(feed, ackOf('a'));
  await clock.pass(10);
  answers[1]?.reject(new Unreachable('gone'));
  await rejects(failed, Unreachable);
  const invalid = report(feed, ackOf('a'));
  await clock.pass(10);
  answers[2]?.resolve(answerOf(200, { version: 'seven' }));
  await rejects(invalid, Unreachable);
  const fine = report(feed, ackOf('a'));
  await clock.pass(10);
  accept(3, 4);
  deepEqual(await fine, { version: 4 });
});

test('if too many nodes are waiting to be reported, additional nodes are rejected', async () => {
  const { clock, sent, report, accept } = scene();
  const all = Array.from({ length: WAITING_MAX }, (_, n) => report(feed, ackOf(`n${n}`)));
  await rejects(report(feed, ackOf('late')), Unreachable);
  for (let at = 0; at < WAITING_MAX / POLICY_REPORT_NODES_MAX; at += 1) {
    await clock.pass(10);
    accept(at, 1);
    await settled();
  }
  await Promise.all(all);
  equal(sent.length, WAITING_MAX / POLICY_REPORT_NODES_MAX);
});

test('node names are omitted for as long as the control plane does not support them', async () => {
  const { clock, sent, answers, report } = scene();
  const fields = (at: number) => Object.keys(sent[at]?.nodes[0] ?? {});
  const named = ['node_id', 'name', 'next_poll_ms', 'version', 'sdk'];
  const plain = ['node_id', 'version', 'sdk'];
  const reportOnce = async (...bodies: Answer[]) => {
    const reported = report(feed, ackOf('a'));
    await clock.pass(10);
    for (const body of bodies) {
      answers.at(-1)?.resolve(body);
      await settled();
    }
    return reported;
  };
  const old = answerOf(200, { version: 1 });
  deepEqual(await reportOnce(answerOf(400, {}), old), { version: 1 });
  deepEqual([fields(0), fields(1)], [named, plain]);
  await reportOnce(old);
  deepEqual(fields(2), plain);
  await reportOnce(answerOf(200, { version: 1, left: ['a'] }));
  deepEqual(await reportOnce(answerOf(200, { version: 1, left: ['a'] })), { left: true });
  deepEqual([fields(3), fields(4)], [plain, named]);
});
