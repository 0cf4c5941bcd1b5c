// Describes an error in words for the element's user.
import { isOutcomeUnknown, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import type { Words } from '../texts/texts.ts';
import type { ErrorDetail } from '../types.ts';
import { TokenProblem } from './refusals.ts';

/** The action that failed. The meaning of an error code depends on it. */
export type Act = 'read' | 'create' | 'rotate' | 'revoke';

export type Problem = {
  code: string;
  text: string;
  requestId: string | null;
  /** True if the change may have been made anyway. The list shows whether it was. */
  isUnknown: boolean;
};

/** Thrown instead of sending a request while the browser is offline. */
export class Offline extends Error {}

const SECONDS_DEFAULT = 60;

export function problemOf(error: unknown, act: Act, words: Words): Problem {
  const said = (code: string, text: string, more: Partial<Problem> = {}): Problem => ({
    code,
    text,
    requestId: null,
    isUnknown: false,
    ...more,
  });
  if (error instanceof Offline) return said('offline', words['error.offline']);
  if (error instanceof TokenProblem) {
    const { ending } = error;
    const isOrigin = ending === 'origin_not_allowed';
    return said(ending, isOrigin ? words['error.origin_not_allowed'] : words[`token.${ending}`]);
  }
  // Revoking a key twice does no harm, so the user doesn't have to check the list before trying
  // again.
  const isUnknown = act !== 'read' && act !== 'revoke' && isOutcomeUnknown(error);
  const unknown = isUnknown ? words['error.unknown_outcome'] : null;
  if (error instanceof KeyrailUnreachable) {
    return said('unreachable', unknown ?? words['error.unreachable'], { isUnknown });
  }
  if (!(error instanceof KeyrailError)) return said('internal_error', words['error.other']);
  const { code, requestId } = error;
  return said(code, unknown ?? refusalText(error, act, words), { requestId, isUnknown });
}

function refusalText(error: KeyrailError, act: Act, words: Words): string {
  switch (error.code) {
    case 'not_found':
      return words['error.not_found'];
    case 'conflict':
      return words[act === 'create' ? 'error.keys_max' : 'error.not_rotatable'];
    case 'insufficient_scope':
    case 'forbidden':
      return words['error.insufficient_scope'];
    case 'rate_limited':
      return words['error.rate_limited'](
        Math.ceil((error.retryAfterMs ?? SECONDS_DEFAULT * 1000) / 1000),
      );
    case 'invalid_request':
      return words[act === 'create' ? 'error.invalid_name' : 'error.other'];
    default:
      return words['error.other'];
  }
}

/**
 * The details of the error event that the page receives. The message comes from the server and
 * never contains a credential.
 */
export function detailOf(error: unknown, { code, text, requestId }: Problem): ErrorDetail {
  const message = error instanceof KeyrailError ? error.message : text;
  return { code, message, request_id: requestId };
}
