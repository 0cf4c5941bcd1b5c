// Every combination of an endpoint's authentication and a credential: which credentials are
// accepted, and which error the others get.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Auth } from '@keyrail/protocol/wire/auth.ts';
import { ApiError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { allEnvs, type Reach } from '../doors/reach.ts';
import { authenticate, type Credentials, tokenCheck } from './authenticate.ts';
import type { Principal } from './principal.ts';

const reach: Reach = {
  workspaceId: '01890000-0000-7000-8000-000000000000',
  envs: allEnvs,
  actor: { type: 'user', id: null },
  authority: 'owner',
};

const held = { scopes: [], origins: [], expiresAt: new Date(0), expiresInMs: 0 };

const BOOTSTRAP = 'a-bootstrap-token-of-enough-characters';

/** Accepts only this token; rejects any other with `refusal`. */
function believing(one: { token: string; principal: Principal; refusal: ApiError }) {
  return (token: string): Promise<Principal> =>
    token === one.token ? Promise.resolve(one.principal) : Promise.reject(one.refusal);
}

const credentials: Credentials = {
  secretKey: believing({
    token: 'krsk_live_good',
    principal: {
      kind: 'secret_key',
      env: 'live',
      isQuarantined: false,
      isAllowedFrom: null,
      reach,
    },
    refusal: new ApiError('invalid_key'),
  }),
  session: (token) =>
    token === 'krses_loose'
      ? Promise.resolve({
          kind: 'session',
          userId: 'u',
          sessionId: 's',
          isVerified: true,
          reach: null,
        })
      : believing({
          token: 'krses_good',
          principal: { kind: 'session', userId: 'u', sessionId: 's', isVerified: true, reach },
          refusal: new ApiError('invalid_session'),
        })(token),
  embedToken: believing({
    token: 'aaa.bbb.ccc',
    principal: { kind: 'embed', env: 'live', reach, ...held },
    refusal: new ApiError('invalid_embed_token'),
  }),
  isBootstrap: tokenCheck(new Secret(BOOTSTRAP)),
};

async function judged(auth: Auth, authorization: string | undefined): Promise<string | ApiError> {
  try {
    return (await authenticate(credentials, auth, { authorization })).kind;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function outcome(auth: Auth, authorization: string | undefined): Promise<string> {
  const what = await judged(auth, authorization);
  return what instanceof ApiError ? `${what.status} ${what.code}` : what;
}

const WRONG_KIND = '403 forbidden';

/** For each kind of authentication, the outcome for each of the tokens below, in the same order. */
const planes: Record<Exclude<Auth, 'none' | 'signature'>, string[]> = {
  vendor: ['secret_key', 'session', '403 no_active_workspace', WRONG_KIND, WRONG_KIND],
  session: [WRONG_KIND, 'session', 'session', WRONG_KIND, WRONG_KIND],
  machine: ['secret_key', WRONG_KIND, WRONG_KIND, WRONG_KIND, WRONG_KIND],
  machineHot: ['secret_key', WRONG_KIND, WRONG_KIND, WRONG_KIND, WRONG_KIND],
  minting: ['secret_key', WRONG_KIND, WRONG_KIND, WRONG_KIND, WRONG_KIND],
  embed: [WRONG_KIND, WRONG_KIND, WRONG_KIND, 'embed', WRONG_KIND],
  founder: [WRONG_KIND, 'session', 'session', WRONG_KIND, 'bootstrap'],
};

const tokens = ['krsk_live_good', 'krses_good', 'krses_loose', 'aaa.bbb.ccc', BOOTSTRAP];

for (const [plane, outcomes] of Object.entries(planes)) {
  for (const [at, token] of tokens.entries()) {
    const expected = outcomes[at] ?? '';
    test(`with ${plane} authentication, the credential ${token} yields ${expected}`, async () => {
      equal(await outcome(plane as Auth, `Bearer ${token}`), expected);
    });
  }
}

test('the error for a credential of the wrong kind lists the accepted kinds', async () => {
  const said = async (auth: Auth, token?: string): Promise<string> => {
    const what = await judged(auth, token && `Bearer ${token}`);
    return what instanceof ApiError ? what.message : '';
  };
  match(await said('vendor'), /Authorization header: Bearer/);
  match(await said('founder', 'krsk_live_good'), /requires the bootstrap token or a session/);
  match(await said('vendor', BOOTSTRAP), /requires a secret key or a session/);
  match(await said('embed', 'krses_good'), /requires an embed token/);
  match(
    await said('vendor', 'krses_loose'),
    /Create a workspace, accept an invitation, or switch to one/,
  );
});

test('a bootstrap token that looks like an embed token is recognised', async () => {
  const token = 'deployment.bootstrap.0123456789abcdef';
  const known = { ...credentials, isBootstrap: tokenCheck(new Secret(token)) };
  equal(
    (await authenticate(known, 'founder', { authorization: `Bearer ${token}` })).kind,
    'bootstrap',
  );
});

test('endpoints that require no credential ignore the Authorization header', async () => {
  for (const auth of ['none', 'signature'] as const) {
    for (const presented of [undefined, '', 'Bearer krsk_live_bad', 'nonsense']) {
      equal(await outcome(auth, presented), 'nobody');
    }
  }
});

const presentations: [string | undefined, string][] = [
  [undefined, '401 missing_credential'],
  ['', '401 missing_credential'],
  ['Bearer', '401 invalid_key'],
  ['Bearer ', '401 invalid_key'],
  ['krsk_live_good', '401 invalid_key'],
  ['Basic krsk_live_good', '401 invalid_key'],
  ['Bearer krsk_live_good extra', '401 invalid_key'],
  [' Bearer krsk_live_good', '401 invalid_key'],
  ['Bearer krsk_live_good ', '401 invalid_key'],
  ['Bearer\tkrsk_live_good', '401 invalid_key'],
  ['Bearer krsk_live_good,Bearer krsk_live_good', '401 invalid_key'],
  ['bearer krsk_live_good', 'secret_key'],
  ['BEARER   krsk_live_good', 'secret_key'],
  ['Bearer krsk_live_bad', '401 invalid_key'],
  ['Bearer KRSK_live_good', '401 invalid_key'],
  ['Bearer kr_live_an-api-key', '401 invalid_key'],
  ['Bearer krses_bad', '401 invalid_session'],
  ['Bearer aaa.bbb.ddd', '401 invalid_embed_token'],
  ['Bearer aaa.bbb.', '401 invalid_embed_token'],
  ['Bearer aaa.bbb', '401 invalid_key'],
  ['Bearer a.b.c.d', '401 invalid_key'],
  [`Bearer ${BOOTSTRAP}x`, '401 invalid_key'],
  [`Bearer ${BOOTSTRAP.toUpperCase()}`, '401 invalid_key'],
];

for (const [authorization, expected] of presentations) {
  test(`the header ${JSON.stringify(authorization)} yields ${expected}`, async () => {
    equal(await outcome('vendor', authorization), expected);
  });
}

test('if no bootstrap token is configured, none is accepted', () => {
  const isBootstrap = tokenCheck(null);
  for (const presented of ['', 'null', 'undefined', BOOTSTRAP])
    equal(isBootstrap(presented), false);
});

test('only the exact bootstrap token is accepted', () => {
  const isBootstrap = tokenCheck(new Secret(BOOTSTRAP));
  for (const [presented, is] of [
    [BOOTSTRAP, true],
    [BOOTSTRAP.slice(0, -1), false],
    [`${BOOTSTRAP}\u0000`, false],
    ['', false],
  ] as const) {
    equal(isBootstrap(presented), is);
  }
});

test('a bootstrap token may contain dots, as embed tokens do', async () => {
  const dotted = 'chosen.by-an-operator.of-enough-characters';
  const isBootstrap = tokenCheck(new Secret(dotted));
  const founder = await authenticate({ ...credentials, isBootstrap }, 'founder', {
    authorization: `Bearer ${dotted}`,
  });
  equal(founder.kind, 'bootstrap');
});
