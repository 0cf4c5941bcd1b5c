// Session credentials: when a session is looked up, when it is extended, and what it can access.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { systemRandomBytes } from '../base/random.ts';
import type { Lookups, SessionFact } from './gate.rows.ts';
import { sessionPrincipal } from './session.ts';

const { secret, lookupHash } = mintCredential('session', null, systemRandomBytes);

const live: SessionFact = {
  id: 'session',
  userId: 'person',
  activeWorkspaceId: 'workspace',
  role: 'admin',
  isVerified: true,
  live: true,
  seenIsStale: false,
};

type Kept = { asked: string[]; seen: string[]; warned: string[] };

/** Authenticates a token whose stored session is `fact`. */
async function principalOf(token: string, fact: SessionFact | null, fails = false) {
  const kept: Kept = { asked: [], seen: [], warned: [] };
  const lookups: Pick<Lookups, 'findSession' | 'noteSeen'> = {
    findSession: async (hash) => {
      kept.asked.push(hash);
      return fact;
    },
    noteSeen: async ({ id }) => {
      kept.seen.push(id);
      if (fails) throw new Error('the store is down');
    },
  };
  const log = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (_: unknown, text?: string) => void kept.warned.push(text ?? ''),
  };
  const principal = await sessionPrincipal({ lookups, log }, token);
  return { principal, kept };
}

test('a session is looked up by its token’s hash', async () => {
  const { principal, kept } = await principalOf(secret, live);
  deepEqual(kept, { asked: [lookupHash], seen: [], warned: [] });
  deepEqual(principal, {
    kind: 'session',
    userId: 'person',
    sessionId: 'session',
    isVerified: true,
    reach: {
      workspaceId: 'workspace',
      envs: ['live', 'test'],
      actor: { type: 'user', id: 'person' },
      authority: 'admin',
    },
  });
});

test('a malformed token gets the same error as an unknown one, without a lookup', async () => {
  for (const token of ['krses_', `${secret}x`, secret.slice(0, -1), secret.toUpperCase()]) {
    let asked = 0;
    const lookups = {
      findSession: async () => {
        asked += 1;
        return live;
      },
      noteSeen: async () => {},
    };
    const log = { debug: () => {}, info: () => {}, error: () => {}, warn: () => {} };
    const asking = sessionPrincipal({ lookups, log }, token);
    await rejects(asking, { code: 'invalid_session', message: 'Invalid session.' });
    equal(asked, 0);
  }
});

test('an unknown or expired session is rejected and not extended', async () => {
  for (const fact of [null, { ...live, live: false, seenIsStale: true }]) {
    await rejects(principalOf(secret, fact), { code: 'invalid_session' });
  }
});

test('a stale session is extended, and works even if extending it fails', async () => {
  const stale = { ...live, seenIsStale: true };
  deepEqual((await principalOf(secret, stale)).kept.seen, ['session']);
  const { principal, kept } = await principalOf(secret, stale, true);
  equal(principal.kind, 'session');
  deepEqual(kept.warned, ['failed to extend a session']);
});

test('a session without a workspace or a membership has no access to any workspace', async () => {
  for (const change of [{ activeWorkspaceId: null, role: null }, { role: null }]) {
    const { principal } = await principalOf(secret, { ...live, ...change });
    equal(principal.kind === 'session' && principal.reach, null);
  }
});
