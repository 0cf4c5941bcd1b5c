// The connection to the server: a token, which is renewed before it expires, and the session that
// belongs to the token. Only one renewal runs at a time, no matter how many events request one. A
// call that is rejected because of its token has changed nothing, so it is retried once with the
// next token. If that token is rejected too, the element shows the problem and stops sending
// requests.
import { type Caller, createCaller } from '@keyrail/client';
import { nowMs } from '../clock.ts';
import type { GetToken, Token, TokenReason, Transport } from '../types.ts';
import { isTokenRefusal, OriginRefused, originRefusal, TokenProblem } from './refusals.ts';
import { delayOfRenewal, waitsBetween } from './renewal-times.ts';
import {
  type ConnectionState,
  type Ending,
  isSameSession,
  isSameTenant,
  type Session,
} from './session.ts';

type Parts = {
  url: string;
  source: GetToken;
  transport: Transport;
  /** Aborted when the element is removed. */
  signal: AbortSignal;
  /** Called only if what the screen shows has changed. */
  onState(state: ConnectionState): void;
  onEnding(ending: Ending, error: unknown): void;
};

type Access = { client: Caller; session: Session };

const REQUEST_MS_MAX = 20_000;
const CALL_MS_MAX = 25_000;
const REPEATS_MAX = 1;
/** The number of new tokens the server may reject before the element stops requesting them. */
const REFUSALS_MAX = 2;

export class Connection {
  readonly #parts: Parts;
  #state: ConnectionState = { session: null, ending: null };
  #access: Access | null = null;
  #renewing: Promise<Access> | null = null;
  #dueMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hurry = (): void => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    const { signal } = parts;
    document.addEventListener('visibilitychange', this.#renewIfDue);
    addEventListener('online', this.#renewIfDue);
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      this.#hurry();
      document.removeEventListener('visibilitychange', this.#renewIfDue);
      removeEventListener('online', this.#renewIfDue);
    });
    this.#renew('start').catch(() => {});
  }

  /** Calls the server with the current token. */
  async call<T>(use: (client: Caller, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#parts;
    if (this.#state.ending !== null) throw new TokenProblem(this.#state.ending, null);
    const used = this.#access ?? (await this.#renew('start'));
    try {
      return await use(used.client, signal);
    } catch (error) {
      if (!isTokenRefusal(error)) throw error;
      const isCurrent = this.#access === used || this.#access === null;
      const next = isCurrent ? await this.#renew('refused') : this.#access;
      // If the new token is for a different tenant, the call isn't retried, because it was about
      // the previous tenant's keys.
      if (next === null || !isSameTenant(used.session, next.session)) throw error;
      return use(next.client, signal).catch((again: unknown) => {
        throw isTokenRefusal(again) ? this.#end('refused', again) : again;
      });
    }
  }

  /** Requests a token again after the connection has stopped. */
  async retry(): Promise<void> {
    await this.#renew(this.#state.ending === 'refused' ? 'refused' : 'start').catch(() => {});
  }

  #change(next: Partial<ConnectionState>): void {
    this.#state = { ...this.#state, ...next };
    if (!this.#parts.signal.aborted) this.#parts.onState(this.#state);
  }

  /**
   * Renews the token if it is due. While the page is hidden or offline, this waits until the page
   * is visible and online again.
   */
  readonly #renewIfDue = (): void => {
    if (document.hidden || !navigator.onLine) return;
    const isUnavailable = this.#state.ending === 'unavailable';
    const isDue = this.#access !== null && nowMs() >= this.#dueMs;
    if (isUnavailable) this.#renew('start').catch(() => {});
    else if (isDue || this.#renewing !== null) this.#renew('refresh').catch(() => {});
  };

  #renew(reason: TokenReason): Promise<Access> {
    this.#hurry();
    this.#renewing ??= this.#obtain(reason).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #obtain(first: TokenReason): Promise<Access> {
    const { signal, source } = this.#parts;
    const waits = [...waitsBetween(first)];
    let reason = first;
    for (let refusals = 0; ; ) {
      try {
        const token = await source(reason);
        const next = await this.#accessWith(token);
        signal.throwIfAborted();
        this.#accept(next, token);
        return next;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OriginRefused) throw this.#end('origin_not_allowed', error);
        if (isTokenRefusal(error)) {
          refusals += 1;
          reason = 'refused';
          if (refusals >= REFUSALS_MAX) throw this.#end('refused', error);
          continue;
        }
        const waitMs = waits.shift();
        if (waitMs === undefined) throw this.#end('unavailable', error);
        await this.#pause(waitMs);
        signal.throwIfAborted();
      }
    }
  }

  async #accessWith({ token }: Token): Promise<Access> {
    const { url, transport, signal } = this.#parts;
    const limits = { timeoutMs: REQUEST_MS_MAX, totalMs: CALL_MS_MAX, retries: REPEATS_MAX };
    const client = createCaller({ url, token, fetch: transport, ...limits });
    try {
      return { client, session: await client.call('GET /v1/embed/session', { signal }) };
    } catch (error) {
      throw await originRefusal(error, this.#parts);
    }
  }

  #accept(next: Access, token: Token): void {
    const { session: known, ending } = this.#state;
    this.#access = next;
    const delayMs = delayOfRenewal(token, next.session);
    this.#dueMs = nowMs() + delayMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#renewIfDue, delayMs);
    // If the session is unchanged, the screen isn't rendered again.
    if (known !== null && ending === null && isSameSession(known, next.session)) return;
    this.#change({ session: next.session, ending: null });
  }

  /**
   * Waits between two attempts. Stops early if the page becomes visible or online, or if a call
   * needs the token.
   */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(ending: Ending, cause: unknown): TokenProblem {
    this.#access = null;
    clearTimeout(this.#timer);
    this.#change({ ending });
    this.#parts.onEnding(ending, cause);
    return new TokenProblem(ending, cause);
  }
}
