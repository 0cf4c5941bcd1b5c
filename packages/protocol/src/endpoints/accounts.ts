// Endpoints for users: signing up, signing in, passwords, email addresses, and joining a workspace.
// Without a credential, responses never reveal whether an email address has an account.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { InvitePreview, JoinedMember } from '../objects/member.ts';
import { RevokedSession, Session, SessionSummary, SwitchedSession } from '../objects/session.ts';
import {
  EmailVerified,
  Me,
  PasswordChanged,
  ResetAccepted,
  ResetConsumed,
  Signup,
  User,
  VerificationAccepted,
} from '../objects/user.ts';
import { list } from '../objects/wire.ts';
import { paging } from '../query.ts';
import { Email, Name, NewPassword, OneTimeToken, Password, Uuid } from '../validators.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, OPEN_BODY_BYTES_MAX } from '../wire/limits.ts';

export const accountEndpoints = endpoints({
  'POST /v1/auth/users': {
    auth: 'none',
    summary: 'Sign up',
    description:
      'Creates a user account. The response is the same for new and existing email addresses, ' +
      'and if sign-up is disabled. A new user is emailed a verification link, an existing user a ' +
      'notice.',
    body: z.strictObject({ email: Email, password: NewPassword, name: Name.optional() }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 202: Signup },
  },
  'POST /v1/auth/sessions': {
    auth: 'none',
    summary: 'Sign in',
    description:
      'Exchanges an email address and password for a session token, which is shown once. Without ' +
      '`workspace_id`, the session starts in the most recently active workspace.',
    body: z.strictObject({ email: Email, password: Password, workspace_id: Uuid.optional() }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 201: Session },
  },
  'GET /v1/auth/me': {
    auth: 'session',
    summary: 'Read your account and memberships',
    description:
      'Returns the signed-in user, the active workspace and every workspace they belong to.',
    answers: { 200: Me },
  },
  'PATCH /v1/auth/me': {
    auth: 'session',
    summary: 'Change your name',
    description: 'Other members see this name. The field is required; `null` removes the name.',
    body: z.strictObject({ name: Name.nullable() }),
    answers: { 200: User },
  },
  'POST /v1/auth/me/password': {
    auth: 'session',
    summary: 'Change your password',
    description: 'Requires the current password, and signs you out everywhere else.',
    body: z.strictObject({ current_password: Password, password: NewPassword }),
    refusals: { 429: 'Too many attempts with a wrong password.' },
    answers: { 200: PasswordChanged },
  },
  'GET /v1/auth/sessions': {
    auth: 'session',
    summary: 'List your sessions',
    description: 'Shows where you are signed in, so you can end any session you do not recognise.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(SessionSummary) },
  },
  'DELETE /v1/auth/sessions/current': {
    auth: 'session',
    summary: 'Sign out',
    description: 'Ends the session of this request: its token stops working immediately.',
    answers: { 200: RevokedSession },
  },
  'DELETE /v1/auth/sessions/{id}': {
    auth: 'session',
    summary: 'Sign out one of your sessions',
    description: 'Signs you out on another device: that session token stops working immediately.',
    answers: { 200: RevokedSession },
  },
  'POST /v1/auth/sessions/current/workspace': {
    auth: 'session',
    summary: 'Switch the active workspace',
    description:
      'Later requests with this session act in the given workspace. The token stays the same.',
    body: z.strictObject({ workspace_id: Uuid }),
    answers: { 200: SwitchedSession },
  },
  'POST /v1/auth/email_verifications': {
    auth: 'session',
    summary: 'Request another verification email',
    description:
      'Use this if the first link was lost or has expired. Nothing is sent if the address is ' +
      'already verified.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 429: 'Too many emails were requested for this address.' },
    answers: { 202: VerificationAccepted },
  },
  'POST /v1/auth/email_verifications/consume': {
    auth: 'none',
    summary: 'Verify an email address with the emailed token',
    description:
      'Proves that the user can read emails at this address. A token works once. Accounts with a ' +
      'verified address can accept invitations.',
    body: z.strictObject({ token: OneTimeToken }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: EmailVerified },
  },
  'POST /v1/auth/password_resets': {
    auth: 'none',
    summary: 'Request a password reset email',
    description:
      'For users with a forgotten password. The response is the same whether or not the address ' +
      'has an account.',
    body: z.strictObject({ email: Email }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 202: ResetAccepted },
  },
  'POST /v1/auth/password_resets/consume': {
    auth: 'none',
    summary: 'Set a new password with the emailed token',
    description:
      'Completes a password reset. A token works once. The account is signed out everywhere.',
    body: z.strictObject({ token: OneTimeToken, password: NewPassword }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: ResetConsumed },
  },
  'POST /v1/auth/invites/preview': {
    auth: 'none',
    summary: 'Show an invitation before accepting it',
    description:
      'Returns the workspace, the role and the invited email address for a token that can still ' +
      'be accepted. The token is not used up. No user IDs are returned.',
    body: z.strictObject({ token: OneTimeToken }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: InvitePreview },
  },
  'POST /v1/auth/invites/accept': {
    auth: 'session',
    summary: 'Accept an invitation',
    description:
      'Makes you a member of the workspace the token was issued for. Your own email address must ' +
      'be verified; it does not have to be the invited one.',
    body: z.strictObject({ token: OneTimeToken }),
    refusals: { 409: 'You are already a member of the workspace.' },
    answers: { 200: JoinedMember },
  },
});
