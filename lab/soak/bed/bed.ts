// A test bed is a deployment under test: its API addresses, its nodes, and the faults that can be
// simulated in it.
import type { Settings } from '@keyrail/testing/processes/server.ts';
import type { Span } from '../history.ts';

/**
 * Begins a fault, ends it after `forMs`, and resolves once everything it affected is running again.
 */
export type Fault = (forMs: number, dice: number) => Promise<void>;

/** A fault without a fixed duration: `begin` returns a function that ends it. */
export type Trial = {
  part: string;
  fault: 'killed' | 'frozen' | 'cut off';
  begin(): Promise<() => Promise<void>>;
};

export type Bed = {
  name: string;
  /** API addresses, each of them behind a proxy. */
  urls: string[];
  mailDir: string;
  faults: Record<string, Fault>;
  /**
   * The periods in which counters may have been lost because of a fault that is allowed to lose
   * them.
   */
  losses: Span[];
  /** Faults that this machine can't simulate, each with the reason. */
  skipped: string[];
  /** The resident memory of each Keyrail process, by name. */
  residentMiB(): Record<string, number>;
  /** Faults that run one after another. If present, they replace `faults`. */
  trials?: Trial[];
  /**
   * Whether every part of the deployment, including every spare, is running. Omitted in a test bed
   * without spares.
   */
  isWhole?(): Promise<boolean>;
  close(): Promise<void>;
};

export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-the-soak-0123456789';
export const BUDGET = 400;

/** The settings that all processes in a bed share. */
export const commonSettings = (mailDir: string): Settings => ({
  KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
  KEYRAIL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  KEYRAIL_MAIL: `file:${mailDir}`,
  KEYRAIL_PUBLIC_URL: 'http://127.0.0.1:4400',
  KEYRAIL_AUTH_THROTTLE: 'off',
  KEYRAIL_INGEST_EVENTS_PER_MINUTE: String(BUDGET),
  KEYRAIL_REVOKE_WAIT_MS: '4000',
});

/** Performs an action that loses counters, and records when. */
export async function losing(losses: Span[], act: () => Promise<void>): Promise<void> {
  const span = { t0: performance.now(), t1: Number.POSITIVE_INFINITY };
  losses.push(span);
  await act();
  span.t1 = performance.now();
}
