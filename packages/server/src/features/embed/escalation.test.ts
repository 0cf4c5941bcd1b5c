// No sequence of calls with embed tokens can produce a key with more scopes or a longer lifetime
// than the vendor and the tokens granted. Runs random sequences, and compares the keys with a small
// model of what was granted. EMBED_RUNS sets the number of sequences. A failed run prints the seed
// that reproduces it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '@keyrail/protocol/objects/api-key.ts';
import { type Embedded, embedded } from '@keyrail/testing/embed.ts';
import { type Harness, harness, Refusal } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import fc from 'fast-check';

const RUNS = Number(process.env.EMBED_RUNS ?? 12);
const HOUR_MS = 3_600_000;
const SCOPES = ['a', 'b', 'admin'];

type Step =
  | { do: 'create'; by: number; scopes: string[] }
  | { do: 'rotate'; by: number; at: number; overlap: number }
  | { do: 'revoke'; by: number; at: number }
  | { do: 'leak'; at: number }
  | { do: 'wait'; hours: number };

const subset = fc.subarray(SCOPES);
const by = fc.nat(3);
const at = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), by, scopes: subset }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('rotate' as const),
      by,
      at,
      overlap: fc.constantFrom(0, 0.5, 24, 168),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), by, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leak' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(0.5, 2, 30) }),
  },
);

/** A key in the model. `until` is the latest expiry that was granted. */
type Known = { id: string; scopes: string[]; until: number | null; isRevoked: boolean };

type Ground = {
  app: Harness;
  tokens: { grants: string[]; holder: Embedded }[];
  keys: Known[];
};

/** Creates three keys as the vendor, and tokens with different grants. */
async function laid(app: Harness): Promise<Ground> {
  const project = await app.given.project();
  const tenant = await app.given.tenant();
  const own = { project_id: project.id, tenant_id: tenant.id };
  const until = app.clock.now().getTime() + 48 * HOUR_MS;
  const ends = new Date(until).toISOString();
  const made = [
    { scopes: ['a'], until: null, row: await app.given.key({ ...own, scopes: ['a'] }) },
    {
      scopes: ['a', 'admin'],
      until: null,
      row: await app.given.key({ ...own, scopes: ['a', 'admin'] }),
    },
    {
      scopes: ['b'],
      until,
      row: await app.given.key({ ...own, scopes: ['b'], expires_at: ends }),
    },
  ];
  const keys = made.map(({ row, ...rest }) => ({ id: row.id, isRevoked: false, ...rest }));
  return { app, keys, tokens: await renewed(app, own) };
}

const GRANTS = [[], ['a'], ['a', 'b'], ['b']];

const renewed = (app: Harness, own: Record<string, string>): Promise<Ground['tokens']> =>
  Promise.all(
    GRANTS.map(async (grants) => {
      const scopes = ['keys:read', 'keys:write', ...grants.map((scope) => `key_scope:${scope}`)];
      return { grants, holder: await embedded(app, { ...own, scopes }) };
    }),
  );

const outcome = <T>(call: Promise<T>): Promise<{ done: T } | { refused: string }> =>
  call.then(
    (done) => ({ done }),
    (error) => {
      if (!(error instanceof Refusal)) throw error;
      return { refused: `${Object(error.answer.body.error).code}` };
    },
  );

async function take(ground: Ground, what: Step): Promise<void> {
  const { app, keys, tokens } = ground;
  const now = () => app.clock.now().getTime();
  if (what.do === 'wait') {
    app.clock.shift(what.hours * HOUR_MS);
    const [first] = tokens;
    ok(first);
    const { projectId, tenantId } = first.holder;
    ground.tokens = await renewed(app, { project_id: projectId, tenant_id: tenantId });
    return;
  }
  const chosen = keys['at' in what ? what.at % keys.length : 0];
  ok(chosen);
  if (what.do === 'leak') {
    await quarantine(app, chosen.id);
    return;
  }
  const token = tokens[what.by];
  ok(token);
  const { grants, holder } = token;
  const isGranted = (scopes: string[]) => scopes.every((scope) => grants.includes(scope));
  if (what.do === 'create') {
    const made = await outcome(holder.call('POST /v1/embed/keys', { scopes: what.scopes }));
    equal('done' in made, isGranted(what.scopes));
    if (!('done' in made)) return;
    keys.push({ id: made.done.id, scopes: what.scopes, until: null, isRevoked: false });
  } else if (what.do === 'revoke') {
    await holder.call('POST /v1/embed/keys/{id}/revoke', { id: chosen.id });
    chosen.isRevoked = true;
  } else {
    const input = { id: chosen.id, overlap_hours: what.overlap };
    const made = await outcome(holder.call('POST /v1/embed/keys/{id}/rotate', input));
    const isOver = chosen.isRevoked || (chosen.until !== null && chosen.until <= now());
    equal('done' in made, !isOver && isGranted(chosen.scopes), JSON.stringify(made));
    if (!('done' in made)) return;
    const { scopes, until } = chosen;
    keys.push({ id: made.done.id, scopes, until, isRevoked: false });
  }
}

/**
 * Asserts that the model contains every key the vendor can see, and that no key exceeds what was
 * granted.
 */
async function holds({ app, keys, tokens }: Ground): Promise<void> {
  const tenantId = tokens[0]?.holder.tenantId;
  const input = { tenant_id: tenantId, include_revoked: true, limit: 200 };
  const rows: ApiKey[] = (await app.as.liveKey('GET /v1/keys', input)).data;
  deepEqual(rows.map(({ id }) => id).toSorted(), keys.map(({ id }) => id).toSorted());
  for (const row of rows) {
    const known = keys.find(({ id }) => id === row.id);
    ok(known);
    deepEqual(row.scopes.toSorted(), known.scopes.toSorted());
    equal(row.revoked_at !== null, known.isRevoked);
    const end = row.expires_at === null ? null : Date.parse(row.expires_at);
    if (known.until !== null)
      ok(end !== null && end <= known.until, 'the key lives longer than granted');
  }
}

test('no sequence of calls gives a key more scopes or a longer lifetime', async (t) => {
  const app = await harness(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      app.clock.reset();
      const ground = await laid(app);
      for (const each of steps) await take(ground, each);
      await holds(ground);
    }),
    { numRuns: RUNS },
  );
});
