// PostgreSQL freezes without closing any connection. Every request still gets a response in time,
// the process stays alive, and everything recovers once the database does.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BOOTSTRAP_TOKEN,
  type Cluster,
  openCluster,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import { type Ask, ask, codeOf, type Outcome } from '@keyrail/testing/processes/http.ts';
import { audit, type Ledger, openLedger, writeOnce } from '@keyrail/testing/processes/ledger.ts';
import { type ServerProcess, startServer } from '@keyrail/testing/processes/server.ts';

const CONNECTIONS_MAX = 5;
const FROZEN_MS = 8000;
const PROBE_EVERY_MS = 50;
const RECOVERY_MS_MAX = 60_000;

const skip = whyNoCluster();

type Probe = { what: string; outcome: Outcome };

test('requests get a response in time while PostgreSQL is frozen, and succeed again once it resumes', {
  skip,
}, async (t) => {
  const cluster = await openCluster();
  t.after(cluster.close);
  const server = await startServer({
    ...cluster.settings,
    KEYRAIL_DATABASE_CONNECTIONS: String(CONNECTIONS_MAX),
  });
  t.after(server.kill);
  const ledger = await openLedger(server.url, BOOTSTRAP_TOKEN);
  // Opens every connection and prepares every statement, as in a process that has been serving for
  // a while.
  await Promise.all(Array.from({ length: 40 }, () => writeOnce(server.url, ledger)));

  const before = await cluster.connections();
  await cluster.freeze();
  // All probes must get a response before PostgreSQL resumes.
  const probes = await probeWhile(server, ledger, FROZEN_MS);
  cluster.thaw();
  const thawedAt = performance.now();

  for (const probe of probes) assertFrozen(probe);
  const answered = probes.map(({ outcome }) => outcome.ms);
  t.diagnostic(`${probes.length} probes, slowest ${Math.round(Math.max(...answered))} ms`);
  await recovered(server, ledger, thawedAt);
  const tookMs = Math.round(performance.now() - thawedAt);
  t.diagnostic(`recovered after ${tookMs} ms`);
  await connectionsSettle(cluster, before, thawedAt);
  await audit(server.url, ledger);
});

/** One request of each kind. */
const wishes = ({ token }: Ledger): Record<string, Ask> => ({
  health: { path: '/healthz' },
  read: { path: '/v1/secret_keys?limit=10', token },
  ready: { path: '/readyz' },
  status: { path: '/status' },
  chain: { path: '/v1/audit_logs/chain', token },
  found: {
    method: 'POST',
    path: '/v1/workspaces',
    token: BOOTSTRAP_TOKEN,
    body: { name: 'Late', slug: `late-${randomUUID().slice(0, 18)}` },
  },
});

async function probeWhile(server: ServerProcess, ledger: Ledger, ms: number): Promise<Probe[]> {
  const probing: Promise<Probe>[] = [];
  for (let at = 0; at < ms / PROBE_EVERY_MS; at += 1) {
    const kinds = Object.entries(wishes(ledger));
    const [what, wish] = kinds[at % kinds.length] ?? ['health', { path: '/healthz' }];
    probing.push(ask(server.url, wish).then((outcome) => ({ what, outcome })));
    if (at % 4 === 0) {
      probing.push(writeOnce(server.url, ledger).then((outcome) => ({ what: 'write', outcome })));
    }
    await sleep(PROBE_EVERY_MS);
  }
  return Promise.all(probing);
}

function assertFrozen({ what, outcome }: Probe): void {
  const message = `${what}: ${JSON.stringify(outcome)}`;
  ok(outcome.kind === 'answered', message);
  if (what === 'health') {
    equal(outcome.status, 200, message);
    return;
  }
  if (what === 'status') {
    equal(outcome.status, 200, message);
    equal(outcome.body.status, 'down', message);
    deepEqual(outcome.body.components, {
      api: 'ok',
      database: 'down',
      redis: 'not_configured',
      worker: 'unknown',
      backup: 'unknown',
    });
    return;
  }
  equal(outcome.status, 503, message);
  if (what === 'ready') {
    const { status, database } = outcome.body;
    deepEqual({ status, database }, { status: 'unavailable', database: 'unavailable' });
  } else equal(codeOf(outcome.body), 'unavailable', message);
}

/** Waits until the same process serves requests of every kind again, one after another. */
async function recovered(server: ServerProcess, ledger: Ledger, thawedAt: number): Promise<void> {
  for (const [what, wish] of Object.entries(wishes(ledger))) {
    for (;;) {
      const outcome = await ask(server.url, wish);
      if (outcome.kind === 'answered' && outcome.status < 300) break;
      const ms = performance.now() - thawedAt;
      ok(ms < RECOVERY_MS_MAX, `${what} is not served after ${ms} ms: ${JSON.stringify(outcome)}`);
      await sleep(20);
    }
  }
  const outcome = await writeOnce(server.url, ledger);
  ok(outcome.kind === 'answered' && outcome.status === 201, JSON.stringify(outcome));
}

/** Waits until connections that the pool and the listeners have abandoned are closed. */
async function connectionsSettle(
  cluster: Cluster,
  before: Record<string, number>,
  thawedAt: number,
): Promise<void> {
  const bounds: Record<string, number> = { ...before, keyrail: CONNECTIONS_MAX };
  for (;;) {
    const open = await cluster.connections();
    const surplus = Object.entries(open).filter(([name, count]) => count > (bounds[name] ?? 0));
    if (surplus.length === 0) return;
    ok(performance.now() - thawedAt < RECOVERY_MS_MAX, `left: ${JSON.stringify(open)}`);
    await sleep(50);
  }
}
