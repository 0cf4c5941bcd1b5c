// The process is killed while it receives telemetry. A batch with an ID counts exactly once, no
// matter how often it is sent. A batch without an ID counts if it was acknowledged. A batch that
// was never sent is never counted.
import { equal, ok } from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BOOTSTRAP_TOKEN,
  type Cluster,
  openCluster,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import { answer, ask, type Outcome } from '@keyrail/testing/processes/http.ts';
import { openLedger, startWriting } from '@keyrail/testing/processes/ledger.ts';
import { startServer } from '@keyrail/testing/processes/server.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { until } from '@keyrail/testing/until.ts';

const KILLS = 4;
const CLIENTS = 6;
const BATCHES_PER_LIFE_MIN = 15;

const skip = whyNoCluster();
let cluster: Cluster;
before(async () => {
  if (!skip) cluster = await openCluster();
});
after(() => cluster?.close());

type Key = Parameters<typeof eventOf>[0];
type Sent = { batch: object; events: number; outcomes: Outcome[] };

const isReceived = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.status === 202;

const isDone = ({ outcomes }: Sent): boolean => outcomes.some(isReceived);

async function newKeys(url: string, token: string): Promise<{ named: Key; unnamed: Key }> {
  const post = (path: string, body: object) => answer(url, { method: 'POST', path, token, body });
  const project = await post('/v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await post('/v1/tenants', { external_id: 'customer' });
  const key = async () => {
    const place = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
    return { ...place, id: (await post('/v1/keys', place)).id } as Key;
  };
  return { named: await key(), unnamed: await key() };
}

async function requestsOf(url: string, token: string, { id }: Key): Promise<number> {
  const { data } = await answer(url, { path: `/v1/keys/${id}/usage?days=2`, token });
  ok(Array.isArray(data));
  return data.reduce((sum, { requests }) => sum + requests, 0);
}

const eventsIn = (sent: readonly Sent[]): number =>
  sent.reduce((sum, { events }) => sum + events, 0);

test('no batch is lost or counted twice when the process is killed while receiving telemetry', {
  skip,
}, async (t) => {
  let server = await startServer(cluster.settings);
  t.after(() => server.kill());
  const { token } = await openLedger(server.url, BOOTSTRAP_TOKEN);
  const keys = await newKeys(server.url, token);
  const named: Sent[] = [];
  const unnamed: Sent[] = [];

  const send = async (sent: Sent): Promise<void> => {
    const request = { method: 'POST', path: '/v1/ingest/batch', token, body: sent.batch } as const;
    sent.outcomes.push(await ask(server.url, request));
  };
  const sendOne = async (): Promise<void> => {
    const events = randomInt(1, 200);
    const hasId = randomInt(2) === 0;
    const event = eventOf(hasId ? keys.named : keys.unnamed, new Date());
    const batch = batchOf(Array(events).fill(event), hasId ? { batch_id: randomUUID() } : {});
    const sent = { batch, events, outcomes: [] };
    (hasId ? named : unnamed).push(sent);
    await send(sent);
  };

  for (let kill = 0; kill < KILLS; kill += 1) {
    const load = startWriting(CLIENTS, sendOne);
    const wanted = named.filter(isDone).length + BATCHES_PER_LIFE_MIN;
    await until(() => named.filter(isDone).length >= wanted);
    await sleep(randomInt(0, 10));
    await server.kill();
    await load.stop();
    server = await startServer(cluster.settings);
  }

  // Sends unacknowledged batches again, as a node does; some are sent twice at the same time.
  const open = named.filter((sent) => !isDone(sent));
  await Promise.all(open.flatMap((sent) => [send(sent), send(sent)]));
  await Promise.all(named.filter(isDone).slice(0, 20).map(send));
  // A busy server may reject some batches, so they are sent until they are acknowledged.
  for (const sent of named) {
    await until(async () => {
      if (!isDone(sent)) await send(sent);
      return isDone(sent);
    });
  }
  equal(await requestsOf(server.url, token, keys.named), eventsIn(named));

  const known = eventsIn(unnamed.filter(isDone));
  const counted = await requestsOf(server.url, token, keys.unnamed);
  ok(counted >= known && counted <= eventsIn(unnamed), `${counted} of ${known} or more`);
  t.diagnostic(`${KILLS} kills, ${named.length} batches with an id, ${open.length} sent again`);
});
