// Members and invitations. They don't belong to an environment, so test keys can't even read them.
import { accountEndpoints } from '@keyrail/protocol/endpoints/accounts.ts';
import { memberEndpoints } from '@keyrail/protocol/endpoints/members.ts';
import { type Principal, personOf, reachOf } from '../../access/principal.ts';
import type { Throttle } from '../../access/throttle.ts';
import { assert } from '../../base/assert.ts';
import { ApiError } from '../../base/errors.ts';
import type { Read } from '../../doors/door.ts';
import { type Actor, allEnvs, type Reach } from '../../doors/reach.ts';
import { nextAfter, pageOf, positionOf } from '../../http/page.ts';
import { linesOf, planned, type ServedRoute, serve } from '../../http/route.ts';
import { findPersonBehindKey } from '../secret-keys/rows.ts';
import { acceptInvite } from './accept-invite.ts';
import { changeRole } from './change-role.ts';
import { invitePerson } from './invite-person.ts';
import { workspaceNamedBy } from './invite-token.ts';
import {
  presentInvite,
  presentInvited,
  presentJoined,
  presentMember,
  presentPreview,
  presentRemoved,
} from './present.ts';
import { readInvite } from './read-invite.ts';
import { removeMember } from './remove-member.ts';
import { revokeInvite } from './revoke-invite.ts';
import { listInvites, listMembers } from './rows.ts';

export type MemberParts = {
  throttle: Throttle;
  /** The limit per workspace. A separate throttle limits each user. */
  invitesPerHourMax: number;
};

export const memberRoutes = ({
  throttle,
  invitesPerHourMax: perHourMax,
}: MemberParts): ServedRoute[] =>
  serve(memberEndpoints, {
    'GET /v1/members': {
      boundary: 'liveOnly',
      door: 'read',
      run: ({ read, query, after }) =>
        pageOf(query.limit, {
          list: (limit) => listMembers(read, { ids: query.id, after: positionOf(after), limit }),
          present: presentMember,
          next: nextAfter,
        }),
    },
    'PATCH /v1/members/{userId}': {
      boundary: 'liveOnly',
      door: 'write',
      whenQuarantined: 'refuse',
      run: async ({ write, params, body }) =>
        presentMember(
          await write((tx) => changeRole(tx, { userId: params.userId, role: body.role })),
        ),
    },
    'DELETE /v1/members/{userId}': {
      boundary: 'liveOnly',
      door: 'write',
      whenQuarantined: 'refuse',
      storage: 'reserve',
      plan: ({ params, query }) => {
        const leaving = { userId: params.userId, revokesKeys: query.secret_keys === 'revoke' };
        return planned((tx) => removeMember(tx, leaving), presentRemoved);
      },
    },
    'POST /v1/invites': {
      boundary: 'liveOnly',
      door: 'write',
      verifiedPerson: true,
      whenQuarantined: 'refuse',
      run: async ({ read, write, body: { email, role }, principal }) => {
        await throttle.chargeRecipient(email);
        await throttle.chargeInviter(await findInviter(read, principal));
        return write((tx) => invitePerson(tx, { email, role, perHourMax }), presentInvited);
      },
    },
    'GET /v1/invites': {
      boundary: 'liveOnly',
      door: 'read',
      run: ({ read, query, after }) =>
        pageOf(query.limit, {
          list: (limit) => listInvites(read, { ids: query.id, after: positionOf(after), limit }),
          present: presentInvite,
          next: nextAfter,
        }),
    },
    'POST /v1/invites/{id}/revoke': {
      boundary: 'liveOnly',
      door: 'write',
      whenQuarantined: 'refuse',
      storage: 'reserve',
      goesFirst: true,
      run: async ({ write, params }) => write((tx) => revokeInvite(tx, params.id), presentInvite),
    },
  });

/**
 * Returns the inviting user, or the workspace if the invitation is sent with a secret key whose
 * creator is unknown.
 */
async function findInviter(read: Read, principal: Principal): Promise<string> {
  if (principal.kind === 'session') return principal.userId;
  const reach = reachOf(principal);
  assert(reach, 'a workspace endpoint was called without a workspace');
  const { actor, workspaceId } = reach;
  return (actor.id && (await findPersonBehindKey(read, actor.id))) || workspaceId;
}

const acceptanceLines = linesOf(
  accountEndpoints,
  'POST /v1/auth/invites/preview',
  'POST /v1/auth/invites/accept',
);

export const acceptanceRoutes: ServedRoute[] = serve(acceptanceLines, {
  'POST /v1/auth/invites/preview': {
    boundary: 'none',
    door: 'gate',
    run: async ({ writeIn, body: { token } }) => {
      const write = writeIn(reachOfToken(token, { type: 'system', id: null }));
      return presentPreview(await write((tx) => readInvite(tx, token)));
    },
  },
  'POST /v1/auth/invites/accept': {
    boundary: 'none',
    door: 'gate',
    run: async ({ writeIn, principal, body: { token } }) => {
      const { userId, sessionId, reach } = personOf(principal);
      const write = writeIn(reachOfToken(token, { type: 'user', id: userId }));
      const acceptance = { token, userId, sessionId, becomesActive: reach === null };
      return presentJoined(await write((tx) => acceptInvite(tx, acceptance)));
    },
  },
});

/**
 * What the holder of a token may access: the workspace whose ID the token contains. The token
 * itself is checked later.
 */
function reachOfToken(token: string, actor: Actor): Reach {
  const workspaceId = workspaceNamedBy(token);
  if (workspaceId === null) throw new ApiError('invalid_token');
  return { workspaceId, envs: allEnvs, actor, authority: 'member' };
}
