// How commands fail: with a message on stderr, and an exit code for scripts.
import { isOutcomeUnknown, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import { CommanderError } from 'commander';
import { type Paint, printable } from './terminal/style.ts';

/** The profile used by default. */
export const PROFILE_DEFAULT = 'default';

export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notLoggedIn: 4,
  internal: 70,
  interrupted: 130,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure detected by the CLI itself, as opposed to the server. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly hints: readonly string[];

  /**
   * Each hint is printed on its own line. Hints can include arbitrary names, so control characters
   * are escaped.
   */
  constructor(exitCode: ExitCode, message: string, ...hints: string[]) {
    super(message);
    this.exitCode = exitCode;
    this.hints = hints;
  }
}

export const usage = (message: string, ...hints: string[]): Failure =>
  new Failure(exitCodes.usage, message, ...hints);

export const refused = (message: string, ...hints: string[]): Failure =>
  new Failure(exitCodes.refused, message, ...hints);

export const notLoggedIn = (message: string, profile: string): Failure => {
  const flag = profile === PROFILE_DEFAULT ? '' : ` --profile ${profile}`;
  return new Failure(exitCodes.notLoggedIn, message, `Log in with: keyrail login${flag}`);
};

export const interrupted = (): Failure => new Failure(exitCodes.interrupted, 'Interrupted.');

const credentialCodes: readonly string[] = ['missing_credential', 'invalid_key', 'invalid_session'];

export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof KeyrailUnreachable) return exitCodes.unreachable;
  if (error instanceof KeyrailError) {
    if (credentialCodes.includes(error.code)) return exitCodes.notLoggedIn;
    return error.status >= 500 ? exitCodes.unreachable : exitCodes.refused;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return exitCodes.internal;
}

const IN_DOUBT = '  The change may have gone through. Check before you try again.';

type FailureContext = { paint: Paint; changes: boolean };

/**
 * Returns the lines for stderr. Messages can quote files, so control characters are made visible.
 */
export function failureLines(error: unknown, { paint, changes }: FailureContext): string[] {
  // Commander has already printed its own message.
  if (error instanceof CommanderError) return [];
  if (!(error instanceof Error)) return [`keyrail: ${printable(String(error))}`];
  const head = `${paint('red', 'keyrail:')} ${printable(error.message)}`;
  if (error instanceof Failure) return [head, ...error.hints.map((one) => `  ${printable(one)}`)];
  const inDoubt = changes && isOutcomeUnknown(error) ? [IN_DOUBT] : [];
  if (error instanceof KeyrailError) return [head, ...inDoubt, ...refusalLines(error, paint)];
  if (error instanceof KeyrailUnreachable) {
    if (error.reason === 'connect') {
      return [head, '  Is the server running? To use a different one, pass --url.'];
    }
    return [head, ...inDoubt];
  }
  return [head, ...(error.stack ?? '').split('\n').slice(1).map(printable)];
}

function refusalLines(error: KeyrailError, paint: Paint): string[] {
  const lines = error.details.map(({ path, message }) => `${path || '(body)'}: ${message}`);
  if (error.missingScopes.length > 0)
    lines.push(`missing scopes: ${error.missingScopes.join(', ')}`);
  if (error.retryAfterMs !== null) {
    lines.push(`Try again in ${Math.ceil(error.retryAfterMs / 1000)} s.`);
  }
  if (credentialCodes.includes(error.code)) lines.push('Log in with: keyrail login');
  const request = error.requestId === null ? '' : `, request ${error.requestId}`;
  return [
    ...lines.map((line) => `  ${printable(line)}`),
    paint('dim', `  ${error.status} ${error.code}${printable(request)}`),
  ];
}
