// The typed API client, which sends this tab's session token. Every request to the server goes
// through it, so this is where an ended session or an unreachable server is detected.
import { type Caller, createCaller } from '@keyrail/client';
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';
import { serverAnswered, serverDidNotAnswer, watchSilence } from './connection.ts';
import { sessionEnded, sessionState } from './session.ts';

const GATEWAY_FAULTS = [502, 503, 504];
const SESSION_REFUSED = ['invalid_session', 'missing_credential'];
const BEARER = 'Bearer ';
const REQUEST_ID_HEADER = 'x-request-id';

let lastRequestId: string | null = null;

/** The ID of the most recent request that got a response, for finding it in the server's log. */
export const requestIdOfLast = (): string | null => lastRequestId;

/** Gets the current token for each request, so that the API client never stores one. */
const watchedFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const current = sessionState();
  const token = current.status === 'in' ? current.session.token : null;
  if (token !== null && !headers.has('authorization')) {
    headers.set('authorization', `${BEARER}${token}`);
  }
  const stopWatching = watchSilence();
  try {
    // Proxies and browsers log URLs, so keys are removed from them, even keys that a user typed.
    const url = input instanceof Request ? input : withoutSecrets(String(input));
    const response = await fetch(url, { ...init, headers });
    const requestId = response.headers.get(REQUEST_ID_HEADER);
    lastRequestId = requestId ?? lastRequestId;
    // A gateway error without a request ID means that the gateway can't reach the server. Errors
    // from an overloaded server have a request ID.
    if (requestId === null && GATEWAY_FAULTS.includes(response.status)) serverDidNotAnswer();
    else serverAnswered();
    if (response.status === 401 && token !== null) await noticeEnd(response.clone(), token);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) serverDidNotAnswer();
    throw error;
  } finally {
    stopWatching();
  }
};

/**
 * Ends the session if the server rejected its token. A wrong password also gets a 401, but doesn't
 * end the session.
 */
async function noticeEnd(response: Response, token: string): Promise<void> {
  const body: unknown = await response.json().catch(() => null);
  const code = fieldOf(fieldOf(body, 'error'), 'code');
  if (typeof code !== 'string' || SESSION_REFUSED.includes(code)) sessionEnded(token);
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export const client: Caller = createCaller({ url: location.origin, fetch: watchedFetch });
