// Roles as a table: members can read, admins can make changes, and some endpoints need an owner.
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { leastRole } from '@keyrail/protocol/wire/roles.ts';
import { ApiError } from '../base/errors.ts';
import { allEnvs, type Reach, type Role } from '../doors/reach.ts';
import type { Principal } from './principal.ts';
import { refuseBelow } from './roles.ts';

const held = { scopes: [], origins: [], expiresAt: new Date(0), expiresInMs: 0 };

const roles: Role[] = ['member', 'admin', 'owner'];

const reach = (authority: Role): Reach => ({
  workspaceId: '01890000-0000-7000-8000-000000000000',
  envs: allEnvs,
  actor: { type: 'user', id: null },
  authority,
});

const bearers: ((authority: Role) => Principal)[] = [
  (authority) => ({
    kind: 'session',
    userId: 'u',
    sessionId: 's',
    isVerified: true,
    reach: reach(authority),
  }),
  (authority) => ({
    kind: 'secret_key',
    env: 'live',
    isQuarantined: false,
    isAllowedFrom: null,
    reach: reach(authority),
  }),
  (authority) => ({ kind: 'embed', env: 'live', reach: reach(authority), ...held }),
];

const least: [boolean, 'owner' | undefined, Role][] = [
  [true, undefined, 'member'],
  [false, undefined, 'admin'],
  [true, 'owner', 'owner'],
  [false, 'owner', 'owner'],
];

for (const [isSafe, raisedTo, role] of least) {
  const access = `${raisedTo ? "an owner's" : 'an ordinary'} ${isSafe ? 'read' : 'write'}`;
  test(`${access} requires the role ${role}`, () => equal(leastRole(isSafe, raisedTo), role));
}

for (const [at, held] of roles.entries()) {
  for (const [wantedAt, wanted] of roles.entries()) {
    const isEnough = at >= wantedAt;
    test(`the role ${held} is ${isEnough ? '' : 'not '}enough if ${wanted} is required`, () => {
      for (const bearer of bearers) {
        const pass = () => refuseBelow(bearer(held), wanted);
        if (isEnough) pass();
        else {
          throws(pass, (error) => {
            if (!(error instanceof ApiError)) return false;
            equal(error.message, `This requires the ${wanted} role. Yours is ${held}.`);
            return error.status === 403 && error.code === 'forbidden';
          });
        }
      }
    });
  }
}

test('a principal without a role passes every role check', () => {
  refuseBelow({ kind: 'bootstrap' }, 'owner');
  refuseBelow({ kind: 'nobody' }, 'owner');
  refuseBelow(
    { kind: 'session', userId: 'u', sessionId: 's', isVerified: true, reach: null },
    'owner',
  );
});
