// A user account and its workspace memberships.
import { z } from 'zod';
import { Role, Uuid } from '../validators.ts';
import { WireTime } from './wire.ts';

const person = {
  id: Uuid,
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string().nullable(),
  created_at: WireTime,
  last_login_at: WireTime.nullable(),
};

export const User = z.strictObject({ object: z.literal('user'), ...person }).meta({ id: 'User' });
export type User = z.output<typeof User>;

/** The user in a sign-in response, where it has no `object` field. */
export const SessionUser = z.strictObject(person);

export const Membership = z
  .strictObject({ workspace_id: Uuid, role: Role, name: z.string(), slug: z.string() })
  .meta({ id: 'Membership' });
export type Membership = z.output<typeof Membership>;

export const Me = z
  .strictObject({
    object: z.literal('me'),
    user: z.strictObject({
      id: Uuid,
      email: z.string(),
      email_verified: z.boolean(),
      name: z.string().nullable(),
    }),
    active_workspace_id: Uuid.nullable(),
    memberships: z.array(Membership),
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof Me>;

export const Signup = z
  .strictObject({ object: z.literal('signup'), email: z.string(), accepted: z.literal(true) })
  .meta({ id: 'Signup' });

export const PasswordChanged = z.strictObject({
  object: z.literal('password'),
  changed: z.literal(true),
});

export const VerificationAccepted = z.strictObject({
  object: z.literal('email_verification'),
  accepted: z.literal(true),
});

export const EmailVerified = z.strictObject({
  object: z.literal('email_verification'),
  verified: z.literal(true),
});

export const ResetAccepted = z.strictObject({
  object: z.literal('password_reset'),
  accepted: z.literal(true),
});

export const ResetConsumed = z.strictObject({
  object: z.literal('password_reset'),
  consumed: z.literal(true),
});
