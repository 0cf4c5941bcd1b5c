// Sessions: signing in and out, listing sessions, and switching workspaces.
import { accountEndpoints } from '@keyrail/protocol/endpoints/accounts.ts';
import { USER_AGENT_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { PasswordHasher } from '../../access/passwords.ts';
import { personOf } from '../../access/principal.ts';
import type { Throttle } from '../../access/throttle.ts';
import { ApiError } from '../../base/errors.ts';
import { nextAfter, pageOf, positionOf } from '../../http/page.ts';
import { linesOf, type ServedRoute, serve } from '../../http/route.ts';
import { findUserByEmail } from '../accounts/rows.ts';
import { endSession } from './end-session.ts';
import { logIn } from './log-in.ts';
import { presentLogin, presentSession } from './present.ts';
import { listLiveSessions } from './rows.ts';
import { switchWorkspace } from './switch-workspace.ts';

const sessionEndpoints = linesOf(
  accountEndpoints,
  'POST /v1/auth/sessions',
  'GET /v1/auth/sessions',
  'DELETE /v1/auth/sessions/current',
  'DELETE /v1/auth/sessions/{id}',
  'POST /v1/auth/sessions/current/workspace',
);

const revoked = ({ id }: { id: string }) => ({
  object: 'session' as const,
  id,
  revoked: true as const,
});

/** Keeps only printable ASCII, because clients may send any bytes as the User-Agent header. */
const userAgentIn = (text: string | undefined): string | null =>
  text?.replace(/[^\x20-\x7e]/g, '').slice(0, USER_AGENT_CHARS_MAX) || null;

export const sessionRoutes = ({
  hasher,
  throttle,
}: {
  hasher: PasswordHasher;
  throttle: Throttle;
}): ServedRoute[] =>
  serve(sessionEndpoints, {
    'POST /v1/auth/sessions': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, body, clientAddress, header, noteCaller }) => {
        const { email, password, workspace_id } = body;
        const attempt = await throttle.chargeLogin(clientAddress, email);
        const user = await people((tx) => findUserByEmail(tx, email));
        const { isKnownClient } = attempt;
        const cause = { clientAddress, isKnownClient };
        const matches = await hasher.verify(user?.passwordHash ?? null, password, cause);
        const isRight = user !== null && matches;
        if (attempt.refusal && !(isRight && isKnownClient)) throw attempt.refusal;
        if (!isRight) throw new ApiError('invalid_credentials');
        const login = { userId: user.id, verifiedHash: user.passwordHash };
        const workspaceId = workspace_id ?? null;
        const userAgent = userAgentIn(header('user-agent'));
        const loggedIn = await people((tx) => logIn(tx, { ...login, workspaceId, userAgent }));
        await attempt.succeeded();
        noteCaller('user', user.id);
        return presentLogin(loggedIn);
      },
    },
    'GET /v1/auth/sessions': {
      boundary: 'none',
      door: 'gate',
      run: ({ people, principal, query, after }) => {
        const { userId, sessionId } = personOf(principal);
        const position = positionOf(after);
        return pageOf(query.limit, {
          list: (limit) => people((tx) => listLiveSessions(tx, userId, { after: position, limit })),
          present: (row) => presentSession(row, sessionId),
          next: nextAfter,
        });
      },
    },
    'DELETE /v1/auth/sessions/current': {
      boundary: 'none',
      door: 'gate',
      storage: 'reserve',
      run: async ({ people, principal }) => {
        const { userId, sessionId: id } = personOf(principal);
        return revoked(await people((tx) => endSession(tx, { userId, id })));
      },
    },
    'DELETE /v1/auth/sessions/{id}': {
      boundary: 'none',
      door: 'gate',
      storage: 'reserve',
      run: async ({ people, principal, params: { id } }) => {
        const { userId } = personOf(principal);
        return revoked(await people((tx) => endSession(tx, { userId, id })));
      },
    },
    'POST /v1/auth/sessions/current/workspace': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, principal, body: { workspace_id: workspaceId } }) => {
        const { userId, sessionId } = personOf(principal);
        await people((tx) => switchWorkspace(tx, { userId, sessionId, workspaceId }));
        return { object: 'session', id: sessionId, active_workspace_id: workspaceId } as const;
      },
    },
  });
