// As much of a control plane as a node asks for, behind a `fetch`, in memory.
import type { Fetch } from '../options.ts';
import { createTestCounters, createTestIdempotency } from './coordination.ts';
import { createTestPolicy, type RandomBytes, type TestPolicy } from './policy.ts';

export type TestPlane = {
  fetch: Fetch;
  policy: TestPolicy;
  /** What telemetry has told so far, oldest first. */
  events: object[];
  /** False makes every exchange fail, as if the network were gone. */
  setReachable(isReachable: boolean): void;
};

export type TestPlaneParts = { projectId: string; now: () => number; randomBytes: RandomBytes };

export function createTestPlane({ projectId, now, randomBytes }: TestPlaneParts): TestPlane {
  const policy = createTestPolicy(projectId, now, randomBytes);
  const check = createTestCounters(now);
  const coordinate = createTestIdempotency(now);
  const events: object[] = [];
  let isReachable = true;

  const answers: Record<string, (url: URL, init: RequestInit) => Promise<Response> | Response> = {
    '/v1/policy/snapshot': () => Response.json(policy.snapshot()),
    '/v1/policy/delta': async ({ searchParams }, { signal }) => {
      const since = Number(searchParams.get('since'));
      if (since >= policy.version() && searchParams.has('wait_ms')) await policy.changed(signal);
      const delta = policy.delta(since);
      return delta === null ? new Response(null, { status: 304 }) : Response.json(delta);
    },
    '/v1/ratelimit/check': (_, init) => Response.json(check(bodyOf(init))),
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
    setReachable: (wanted) => {
      isReachable = wanted;
    },
    fetch: async (text, init) => {
      if (!isReachable) throw new TypeError('fetch failed');
      const url = new URL(text);
      return answers[url.pathname]?.(url, init) ?? new Response(null, { status: 404 });
    },
  };
}

const bodyOf = ({ body }: RequestInit): Record<string, unknown> =>
  JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString() : String(body));
