// A session: the credential of a signed-in user.
import { z } from 'zod';
import { Uuid } from '../validators.ts';
import { USER_AGENT_CHARS_MAX } from '../wire/limits.ts';
import { Membership, SessionUser } from './user.ts';
import { WireTime } from './wire.ts';

const lifetime = {
  object: z.literal('session'),
  id: Uuid,
  display_prefix: z.string(),
  active_workspace_id: Uuid.nullable(),
  created_at: WireTime,
  last_seen_at: WireTime,
  expires_at: WireTime,
  absolute_expires_at: WireTime,
};

/** The sign-in response, the only response that contains the session token. */
export const Session = z
  .strictObject({
    ...lifetime,
    token: z.string(),
    user: SessionUser,
    memberships: z.array(Membership),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof Session>;

/** `current` marks the session that made the request. */
export const SessionSummary = z
  .strictObject({
    ...lifetime,
    current: z.boolean(),
    user_agent: z
      .string()
      .nullable()
      .meta({
        description:
          `The \`User-Agent\` used to sign in, truncated to ${USER_AGENT_CHARS_MAX} characters. ` +
          'It comes from the client, so it is not proof of anything.',
      }),
  })
  .meta({ id: 'SessionSummary' });
export type SessionSummary = z.output<typeof SessionSummary>;

export const RevokedSession = z.strictObject({
  object: z.literal('session'),
  id: Uuid,
  revoked: z.literal(true),
});

export const SwitchedSession = z.strictObject({
  object: z.literal('session'),
  id: Uuid,
  active_workspace_id: Uuid,
});
