// An in-memory control plane behind a `fetch` function, with the endpoints that a node uses.
import type { Clock } from '../clock.ts';
import type { Fetch } from '../transport.ts';
import { createTestCounters } from './counters.ts';
import { createTestIdempotency } from './idempotency-records.ts';
import { createTestPolicy, type KeyFilter, type RandomBytes, type TestPolicy } from './policy.ts';

type TestPlane = {
  fetch: Fetch;
  policy: TestPolicy;
  /** The telemetry events received so far, oldest first. */
  events: object[];
  isReachable(): boolean;
  /** Passing false makes every request fail, as if the network were down. */
  setReachable(isReachable: boolean): void;
};

type TestPlaneParts = {
  projectId: string;
  now: () => number;
  after: Clock['after'];
  randomBytes: RandomBytes;
};

export function createTestPlane(parts: TestPlaneParts): TestPlane {
  const { projectId, now, after, randomBytes } = parts;
  const policy = createTestPolicy(projectId, now, randomBytes);
  const counters = createTestCounters(now);
  const coordinate = createTestIdempotency(now);
  const events: object[] = [];
  const wire = createWire();

  const answers: Record<string, (url: URL, init: RequestInit) => Promise<Response> | Response> = {
    '/v1/policy/snapshot': (url) =>
      Response.json(
        policy.snapshot(filterOf(url), {
          after: url.searchParams.get('cursor'),
          mostKeys: mostKeysOf(url),
        }),
      ),
    '/v1/policy/delta': async (url, { signal }) => {
      const { searchParams } = url;
      // This control plane keeps no record of nodes, so a node that leaves needs only a response.
      if (searchParams.get('leave') === 'true') return new Response(null, { status: 304 });
      const since = Number(searchParams.get('since'));
      const waitMs = Number(searchParams.get('wait_ms'));
      if (since >= policy.version() && waitMs > 0) {
        let cancel = () => {};
        const over = new Promise<void>((resolve) => {
          cancel = after(waitMs, resolve);
        });
        await Promise.race([policy.changed(signal), over]);
        cancel();
      }
      const delta = policy.delta(since, filterOf(url), mostKeysOf(url));
      return delta === null ? new Response(null, { status: 304 }) : Response.json(delta);
    },
    '/v1/ratelimit/check': (_, init) => Response.json(counters.check(bodyOf(init))),
    '/v1/ratelimit/lease': (_, init) => Response.json(counters.lease(bodyOf(init))),
    '/v1/ratelimit/return': (_, init) => Response.json(counters.giveBack(bodyOf(init))),
    '/v1/ingest/batch': (_, init) => {
      const batch = bodyOf(init);
      const taken = Array.isArray(batch.events) ? batch.events : [];
      events.push(...taken);
      const receipt = { accepted: taken.length, events_dropped_reported: 0 };
      return Response.json({ object: 'ingest_receipt', ...receipt }, { status: 202 });
    },
  };
  for (const step of ['claim', 'complete', 'release', 'heartbeat'] as const) {
    answers[`/v1/idempotency/${step}`] = (_, init) => Response.json(coordinate(step, bodyOf(init)));
  }
  return {
    policy,
    events,
    isReachable: wire.isWhole,
    setReachable: wire.setWhole,
    fetch: (text, init) =>
      wire.carry(async () => {
        const url = new URL(text);
        return answers[url.pathname]?.(url, init) ?? new Response(null, { status: 404 });
      }),
  };
}

/** Simulates a network. Disconnecting it fails the requests in flight, as a real outage does. */
function createWire() {
  const onItsWay = new Set<() => void>();
  let isWhole = true;
  return {
    isWhole: () => isWhole,
    setWhole: (wanted: boolean) => {
      isWhole = wanted;
      if (!wanted) for (const cut of onItsWay) cut();
    },
    carry: async (ask: () => Promise<Response>): Promise<Response> => {
      let cut = () => {};
      const broken = new Promise<never>((_, reject) => {
        cut = () => reject(new TypeError('fetch failed'));
      });
      if (!isWhole) cut();
      onItsWay.add(cut);
      return await Promise.race([broken, isWhole ? ask() : broken]).finally(() => {
        onItsWay.delete(cut);
      });
    },
  };
}

function filterOf({ searchParams }: URL): KeyFilter {
  const env = searchParams.get('env');
  const tenantIds = searchParams.getAll('tenant_id');
  const include = searchParams.get('include')?.split(',') ?? [];
  return { env: env === 'live' || env === 'test' ? env : null, tenantIds, include };
}

const mostKeysOf = ({ searchParams }: URL): number =>
  Number(searchParams.get('max_keys') ?? Number.POSITIVE_INFINITY);

const bodyOf = ({ body }: RequestInit): Record<string, unknown> =>
  JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString() : String(body));
