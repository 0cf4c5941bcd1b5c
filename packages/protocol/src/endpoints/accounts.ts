// The person plane: signing up, signing in, passwords, addresses, joining a workspace.
// Endpoints without a credential respond identically whether or not an address has an account.
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
      'Creates an account for a person. The response is the same for new and known addresses, ' +
      'and for deployments with sign-up disabled. A new account is sent a verification link, an ' +
      'existing one a notice.',
    body: z.strictObject({ email: Email, password: NewPassword, name: Name.optional() }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 202: Signup },
  },
  'POST /v1/auth/sessions': {
    auth: 'none',
    summary: 'Log in',
    description:
      'Exchanges an address and a password for a session token, which is shown once. Without ' +
      '`workspace_id`, the session starts in the workspace that was active last.',
    body: z.strictObject({ email: Email, password: Password, workspace_id: Uuid.optional() }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 201: Session },
  },
  'GET /v1/auth/me': {
    auth: 'session',
    summary: 'Read your account and memberships',
    description:
      'Shows the person behind the session, the active workspace and every workspace that the ' +
      'person belongs to.',
    answers: { 200: Me },
  },
  'PATCH /v1/auth/me': {
    auth: 'session',
    summary: 'Change your name',
    description: 'Other members see this name. The field is required; null removes the name.',
    body: z.strictObject({ name: Name.nullable() }),
    answers: { 200: User },
  },
  'POST /v1/auth/me/password': {
    auth: 'session',
    summary: 'Change your password',
    description: 'Requires the current password, and ends all your other sessions.',
    body: z.strictObject({ current_password: Password, password: NewPassword }),
    refusals: { 429: 'Too many attempts with a wrong password.' },
    answers: { 200: PasswordChanged },
  },
  'GET /v1/auth/sessions': {
    auth: 'session',
    summary: 'List your sessions',
    description:
      'Shows where you are signed in, so that you can end a session that you do not recognise.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(SessionSummary) },
  },
  'DELETE /v1/auth/sessions/current': {
    auth: 'session',
    summary: 'Log out',
    description: 'Ends the session of this request: its token stops working at once.',
    answers: { 200: RevokedSession },
  },
  'DELETE /v1/auth/sessions/{id}': {
    auth: 'session',
    summary: 'End one of your sessions',
    description:
      'Signs you out on another device: the token of that session stops working at once.',
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
    summary: 'Request another verification e-mail',
    description:
      'Use it if the first link was lost or has expired. Nothing is sent if the address is ' +
      'already verified.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 429: 'Too many e-mails were requested for this address.' },
    answers: { 202: VerificationAccepted },
  },
  'POST /v1/auth/email_verifications/consume': {
    auth: 'none',
    summary: 'Verify an e-mail address with the mailed token',
    description:
      'Proves that the person reads mail at the address. A token works once; an account with a ' +
      'verified address can accept invitations.',
    body: z.strictObject({ token: OneTimeToken }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: EmailVerified },
  },
  'POST /v1/auth/password_resets': {
    auth: 'none',
    summary: 'Request a password reset e-mail',
    description:
      'For a person that forgot the password. The response is the same whether or not the ' +
      'address has an account.',
    body: z.strictObject({ email: Email }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 202: ResetAccepted },
  },
  'POST /v1/auth/password_resets/consume': {
    auth: 'none',
    summary: 'Set a new password with the mailed token',
    description: 'Completes a reset. A token works once, and every session of the account ends.',
    body: z.strictObject({ token: OneTimeToken, password: NewPassword }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: ResetConsumed },
  },
  'POST /v1/auth/invites/preview': {
    auth: 'none',
    summary: 'Show an invitation before accepting it',
    description:
      'Returns the workspace, the role and the invited address for a token that can still be ' +
      'accepted. The token is not spent. No id of a person is returned.',
    body: z.strictObject({ token: OneTimeToken }),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
    answers: { 200: InvitePreview },
  },
  'POST /v1/auth/invites/accept': {
    auth: 'session',
    summary: 'Accept an invitation',
    description:
      'Makes you a member of the workspace that the token was issued for. Your own address must ' +
      'be verified; it need not be the invited one.',
    body: z.strictObject({ token: OneTimeToken }),
    refusals: { 409: 'You are a member of the workspace already.' },
    answers: { 200: JoinedMember },
  },
});
