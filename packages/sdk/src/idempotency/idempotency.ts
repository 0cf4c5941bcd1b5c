// Idempotent requests, coordinated by the control plane.
//
//   claim ─▶ execute ─▶ the handler runs; heartbeats keep its lock alive
//                         ├─ it responded: complete, with retries during an outage
//                         └─ it failed: release, so that a retry runs
//         ─▶ replay, in_progress, mismatch: the handler does not run
//         ─▶ unavailable: no verdict, so the same request may be running elsewhere
//
// A lock that is neither completed nor released expires.
import type { HandlerResponse } from '../api/admission.ts';
import type { Env } from '../api/context.ts';
import type { Log } from '../api/options.ts';
import type { Clock } from '../clock.ts';
import { clampedNumber, type Fields, fieldsOf } from '../json.ts';
import type { Outcome, Transport } from '../transport.ts';
import { type ReplayedResponse, replayedResponse, storableHeaders } from './stored-response.ts';

type Claim = { scopeHash: string; fingerprint: string; env: Env; ttlMs: number | null };

export type ClaimVerdict =
  | { kind: 'execute'; lock: RunLock }
  | { kind: 'replay'; response: ReplayedResponse }
  | { kind: 'in_progress'; retryAfterMs: number }
  | { kind: 'mismatch' }
  | { kind: 'unavailable' };

/** The right to run one request, until `complete` or `release` is called. */
export type RunLock = {
  /** The maximum size of a stored body. A larger body is not stored, not even in part. */
  readonly bodyBytesMax: number;
  complete(response: HandlerResponse): void;
  release(): void;
};

export type Idempotency = {
  claim(claim: Claim): Promise<ClaimVerdict>;
  /** Waits until pending completions and releases are done, for at most `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
};

const CALL_MS_MAX = 10_000;
const CLAIM_BYTES_MAX = 2 * 1024 * 1024;
/** A handler that runs longer than this is considered lost, and its lock expires. */
export const HOLD_MS_MAX = 15 * 60_000;
const BEATS_PER_LOCK = 3;
const BEAT_MS_MIN = 100;
/** A heartbeat's timeout, and the delay after a failure, as fractions of the heartbeat interval. */
const BEAT_SHARE = 0.5;
const RETRY_SHARE = 0.25;
const COMPLETE_TRIES = 8;
const RELEASE_TRIES = 3;
/** Bounds for the lock and body settings in the control plane's response. */
const LOCK_MS = { min: 300, max: 3_600_000 };
const BODY_BYTES = { min: 0, max: 4 * 1024 * 1024 };
const IN_PROGRESS_MS = { min: 0, max: LOCK_MS.max };
const LOCK_TOKEN_CHARS_MAX = 1_024;
const WAIT_MS_FIRST = 250;
const WAIT_MS_MAX = 10_000;

type LockFields = { scope_hash: string; env: Env; lock_token: string };
type Step = 'claim' | 'complete' | 'release' | 'heartbeat';
type IdempotencyParts = {
  settings: { idempotencyTimeoutMs: number };
  transport: Transport;
  clock: Clock;
  log: Log;
};

export function createIdempotency(parts: IdempotencyParts): Idempotency {
  const { settings, clock } = parts;
  const steps = openSteps(parts);
  const ending = new Set<Promise<void>>();

  function runLock(lock: LockFields, claim: Claim, { lockMs, bodyBytesMax }: Terms): RunLock {
    const everyMs = Math.max(BEAT_MS_MIN, lockMs / BEATS_PER_LOCK);
    const beat = () => steps.post('heartbeat', lock, everyMs * BEAT_SHARE);
    const beats = heartbeat({ ...parts, everyMs }, beat);
    let isEnded = false;
    const end = (act: () => Promise<unknown>) => {
      if (isEnded) return;
      isEnded = true;
      // Heartbeats continue in the meantime, because until the response is stored, only the lock
      // stops a retry.
      const ended = act().then(beats.stop, beats.stop);
      ending.add(ended);
      void ended.then(() => ending.delete(ended));
    };
    return {
      bodyBytesMax,
      complete: (response) => end(() => steps.store({ ...lock, ...ttlOf(claim) }, response)),
      release: () => end(() => steps.persist('release', lock, RELEASE_TRIES)),
    };
  }

  return {
    claim: async (claim) => {
      const { scopeHash: scope_hash, fingerprint, env } = claim;
      const body = { scope_hash, fingerprint, env, ...ttlOf(claim) };
      const outcome = await steps.post('claim', body, settings.idempotencyTimeoutMs);
      const result = fieldsOf(outcome.kind === 'answer' ? outcome.body : null);
      const verdict = verdictOf(result);
      if (verdict !== null) return verdict;
      const terms = termsOf(result);
      if (result.state !== 'execute' || terms === null) return { kind: 'unavailable' };
      const lock = { scope_hash, env, lock_token: terms.lockToken };
      return { kind: 'execute', lock: runLock(lock, claim, terms) };
    },
    drain: async (timeoutMs) => {
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(timeoutMs, resolve);
      });
      await Promise.race([Promise.all(ending), late]);
      cancel();
    },
  };
}

/** Requests to the control plane that make a claim and manage its lock. */
function openSteps({ transport, clock, log }: IdempotencyParts) {
  const post = (step: Step, body: object, timeoutMs = CALL_MS_MAX): Promise<Outcome> => {
    const path = `/v1/idempotency/${step}`;
    return transport.send({ method: 'POST', path, body, timeoutMs, bytesMax: CLAIM_BYTES_MAX });
  };
  const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

  /**
   * Sends a request until it succeeds or has a hard failure; returns null after `tries` failed
   * attempts.
   */
  async function persist(step: Step, body: object, tries: number): Promise<Outcome | null> {
    for (let tried = 1, waitMs = WAIT_MS_FIRST; tried <= tries; tried += 1) {
      const outcome = await post(step, body);
      if (outcome.kind === 'answer' || outcome.hard) return outcome;
      if (tried < tries) await pause(waitMs);
      waitMs = Math.min(WAIT_MS_MAX, waitMs * 2);
    }
    return null;
  }

  async function store(held: object, { status, headers, body }: HandlerResponse): Promise<void> {
    const whole = {
      ...held,
      status,
      headers: storableHeaders(headers),
      body: body === null ? null : Buffer.from(body).toString('base64'),
    };
    let outcome = await persist('complete', whole, COMPLETE_TRIES);
    // Storing a response without its body is better than running a request twice.
    if (outcome?.kind === 'refused') {
      outcome = await persist('complete', { ...held, status, body: null }, COMPLETE_TRIES);
    }
    const result = outcome?.kind === 'answer' ? fieldsOf(outcome.body).outcome : 'unreachable';
    if (result !== 'ok') {
      log('error', `keyrail: failed to store the response to an idempotent request (${result})`);
    }
  }
  return { post, persist, store };
}

const ttlOf = ({ ttlMs }: Claim) => (ttlMs === null ? {} : { ttl_ms: ttlMs });

/**
 * Reads any verdict other than `execute`; returns null for `execute` and for an invalid response.
 */
function verdictOf(result: Fields): ClaimVerdict | null {
  const { state, response, retry_after_ms: retryAfterMs } = result;
  if (state === 'mismatch') return { kind: 'mismatch' };
  if (state === 'in_progress') {
    return { kind: 'in_progress', retryAfterMs: clampedNumber(retryAfterMs, IN_PROGRESS_MS) ?? 0 };
  }
  if (state !== 'replay') return null;
  const replayed = replayedResponse(response);
  return replayed && { kind: 'replay', response: replayed };
}

type Terms = { lockToken: string; lockMs: number; bodyBytesMax: number };

function termsOf(result: Fields): Terms | null {
  const { lock_token: lockToken } = result;
  if (typeof lockToken !== 'string' || lockToken === '') return null;
  if (lockToken.length > LOCK_TOKEN_CHARS_MAX) return null;
  const lockMs = clampedNumber(result.lock_ms, LOCK_MS);
  const bodyBytesMax = clampedNumber(result.max_body_bytes, BODY_BYTES);
  if (lockMs === null || bodyBytesMax === null) return null;
  return { lockToken, lockMs, bodyBytesMax };
}

type HeartbeatParts = { clock: Clock; log: Log; everyMs: number };

/** Sends heartbeats until it is stopped or the lock is lost, for at most HOLD_MS_MAX. */
function heartbeat({ clock, log, everyMs }: HeartbeatParts, beat: () => Promise<Outcome>) {
  const began = clock.monotonicMs();
  let isStopped = false;
  let cancel = () => {};
  const next = (waitMs: number) => {
    if (isStopped) return;
    if (clock.monotonicMs() - began >= HOLD_MS_MAX) {
      log('error', 'keyrail: an idempotent request is taking too long; its lock will expire');
      return;
    }
    cancel = clock.after(waitMs, () => {
      void beat().then((outcome) => {
        const isLost = outcome.kind === 'answer' && fieldsOf(outcome.body).outcome === 'lost';
        if (isLost && !isStopped) log('error', 'keyrail: lost the lock on an idempotent request');
        // Missing one heartbeat doesn't lose the lock, so a failed one is just retried sooner.
        const isMissed = outcome.kind !== 'answer' && !outcome.hard;
        if (!isLost) next(isMissed ? everyMs * RETRY_SHARE : everyMs);
      });
    });
  };
  next(everyMs);
  return {
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}
