// The person plane: signing up, signing in, passwords, addresses, joining a workspace.
// Whatever is open to strangers answers alike whether or not an address has an account.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../limits.ts';
import { JoinedMember } from '../objects/member.ts';
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

export const accountEndpoints = endpoints({
  'POST /v1/auth/users': {
    auth: 'none',
    summary: 'Sign up',
    description:
      'Answers alike for new and known addresses, also where the deployment lets nobody sign up. ' +
      'A mail follows: a verification link for a new account, a notice for an existing one.',
    body: z.strictObject({ email: Email, password: NewPassword, name: Name.optional() }),
    answers: { 202: Signup },
  },
  'POST /v1/auth/sessions': {
    auth: 'none',
    summary: 'Log in',
    description: 'The token is shown this once.',
    body: z.strictObject({ email: Email, password: Password, workspace_id: Uuid.optional() }),
    answers: { 201: Session },
  },
  'GET /v1/auth/me': {
    auth: 'session',
    summary: 'Read who is signed in',
    answers: { 200: Me },
  },
  'PATCH /v1/auth/me': {
    auth: 'session',
    summary: 'Change your name',
    description: 'The field is required; null removes the name.',
    body: z.strictObject({ name: Name.nullable() }),
    answers: { 200: User },
  },
  'POST /v1/auth/me/password': {
    auth: 'session',
    summary: 'Change your password',
    description: 'Ends every other session of yours.',
    body: z.strictObject({ current_password: Password, password: NewPassword }),
    budgeted: true,
    answers: { 200: PasswordChanged },
  },
  'GET /v1/auth/sessions': {
    auth: 'session',
    summary: 'List your sessions',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(SessionSummary) },
  },
  'DELETE /v1/auth/sessions/current': {
    auth: 'session',
    summary: 'Log out',
    answers: { 200: RevokedSession },
  },
  'DELETE /v1/auth/sessions/{id}': {
    auth: 'session',
    summary: 'End one of your sessions',
    answers: { 200: RevokedSession },
  },
  'POST /v1/auth/sessions/current/workspace': {
    auth: 'session',
    summary: 'Switch the active workspace',
    description: 'The token stays the same.',
    body: z.strictObject({ workspace_id: Uuid }),
    answers: { 200: SwitchedSession },
  },
  'POST /v1/auth/email_verifications': {
    auth: 'session',
    summary: 'Ask for another verification mail',
    description: 'Sends nothing when the address is already verified.',
    body: z.strictObject({}),
    bodyOptional: true,
    budgeted: true,
    answers: { 202: VerificationAccepted },
  },
  'POST /v1/auth/email_verifications/consume': {
    auth: 'none',
    summary: 'Verify an address with the mailed token',
    body: z.strictObject({ token: OneTimeToken }),
    answers: { 200: EmailVerified },
  },
  'POST /v1/auth/password_resets': {
    auth: 'none',
    summary: 'Ask for a password reset mail',
    body: z.strictObject({ email: Email }),
    answers: { 202: ResetAccepted },
  },
  'POST /v1/auth/password_resets/consume': {
    auth: 'none',
    summary: 'Set a new password with the mailed token',
    description: 'Ends every session of the account.',
    body: z.strictObject({ token: OneTimeToken, password: NewPassword }),
    answers: { 200: ResetConsumed },
  },
  'POST /v1/auth/invites/accept': {
    auth: 'session',
    summary: 'Accept an invitation',
    body: z.strictObject({ token: OneTimeToken }),
    answers: { 200: JoinedMember },
  },
});
