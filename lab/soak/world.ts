// Everything that a soak's clients share: where to send requests, which objects exist, and the
// recorder.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome as Answered, type Ask, ask } from '@keyrail/testing/processes/http.ts';
import type { NodeProcess } from '@keyrail/testing/processes/sdk-nodes.ts';
import { type Args, type Body, isOk, type Op, type Outcome, within } from './history.ts';

export type KnownKey = { id: string; text: string; env: string; tenantId: string };
export type Person = { email: string; userId: string; token: string };

export type World = {
  /** API addresses, each through its own proxy. */
  urls: string[];
  ops: Op[];
  mailDir: string;
  secretKey: string;
  testKey: string;
  testKeyId: string;
  workspaceId: string;
  projectId: string;
  /** Tenants that no step deletes. */
  tenants: string[];
  keys: KnownKey[];
  owners: Person[];
  /** A user whose password is reset repeatedly. */
  forgetful: Person;
  nodes: Map<string, NodeProcess>;
  /** A workspace whose telemetry exceeds its budget. */
  spender: { secretKey: string; projectId: string; tenantId: string; keyId: string };
  budget: number;
  /**
   * A second workspace: the paths of its objects, and a string that must never appear in responses
   * to other workspaces.
   */
  foreign: { canary: string; paths: string[] };
  /** Returns a different string each time. */
  fresh(): string;
  /** The latest version any reader of the feed has seen. */
  version: number;
};

export type Asked = Omit<Ask, 'path'> & { kind: string; args?: Args; path: string; at?: number };

const REQUEST_MS_MAX = 20_000;
/**
 * The pause after a request without a response, so that clients don't retry a thousand times a
 * second.
 */
const UNANSWERED_PAUSE_MS = 150;

/** Sends a request and records it. */
export async function send(world: World, client: string, asked: Asked): Promise<Op> {
  const { kind, args = {}, at = 0, token = world.secretKey, ...request } = asked;
  const url = world.urls[at % world.urls.length] ?? '';
  const t0 = performance.now();
  const answered = await ask(url, { timeoutMs: REQUEST_MS_MAX, ...request, token });
  const t1 = performance.now();
  const { status, body } = readable(answered);
  if (answered.kind !== 'answered') await sleep(UNANSWERED_PAUSE_MS);
  return record(world, { client, kind, args, t0, t1, outcome: outcomeOf(answered), status, body });
}

export function record(world: Pick<World, 'ops'>, op: Op): Op {
  world.ops.push(op);
  return op;
}

const readable = (answered: Answered): { status: number; body: Body } =>
  answered.kind === 'answered'
    ? { status: answered.status, body: answered.body }
    : { status: 0, body: {} };

function outcomeOf(answered: Answered): Outcome {
  if (answered.kind !== 'answered') return 'unknown';
  const { status, body } = answered;
  if (status < 400) return 'ok';
  if (status < 500) return 'fail';
  return within(body, 'error', 'outcome') === 'not_done' ? 'fail' : 'unknown';
}

const BUSY_REPEATS_MAX = 20;
const BUSY_PAUSE_MS = 500;

/**
 * Sends a setup request before the first fault, and returns the response's body. The request must
 * succeed. A server on a busy machine may shed it, so it is retried after a 503.
 */
export async function must(world: World, client: string, asked: Asked): Promise<Body> {
  const once = { key: `setup-${world.fresh()}`, ...asked };
  let op = await send(world, client, once);
  for (let repeats = 0; op.status === 503 && repeats < BUSY_REPEATS_MAX; repeats += 1) {
    await sleep(BUSY_PAUSE_MS);
    op = await send(world, client, once);
  }
  if (!isOk(op)) throw new Error(`${asked.kind} failed: ${op.status} ${JSON.stringify(op.body)}`);
  return op.body;
}

/** Returns the element selected by the die; null if the list is empty. */
export const oneOf = <T>(all: readonly T[], die: number): T | null => all[die % all.length] ?? null;
