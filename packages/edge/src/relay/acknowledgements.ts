// Reports which policy versions the nodes behind the relay have applied. The control plane has to
// record a node before the node gets a response, because revocations wait only for recorded nodes.
// So each poll is reported first. Many nodes poll right after a change, so polls that arrive at
// about the same time are reported together.
import { POLICY_REPORT_NODES_MAX, SDK_HEADER_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { RelayClock } from './clock.ts';
import { type Answer, Unreachable, type Upstream } from './upstream.ts';

/** The feed that the nodes in a report read. Every report is about a single feed. */
type ReportedFeed = {
  /** The nodes' `Authorization` header. */
  credential: string;
  projectId: string;
  env: string | null;
};

type Ack = {
  node: string;
  name: string | null;
  nextPollMs: number | null;
  version: number | null;
  sdk: string | null;
  understands: string | null;
};

/**
 * `version` is the project's policy version at the time the node was recorded, so the node must not
 * get an older policy. `refused` is the control plane's response if it rejects the report. A node
 * that has `left` was not recorded, so it must not get a policy.
 */
export type Reported = { version: number } | { refused: Answer } | { left: true };

type Acknowledgements = {
  /** Throws Unreachable. */
  report(feed: ReportedFeed, ack: Ack): Promise<Reported>;
};

type Waiting = { ack: Ack; resolve(reported: Reported): void; reject(error: unknown): void };

/**
 * How long a report waits for more nodes to join it. A revocation that waits for nodes takes this
 * much longer.
 */
const GATHER_MS = 10;
const TIMEOUT_MS = 10_000;
/**
 * The maximum number of nodes waiting to be reported. Higher than HELD_MAX, the maximum number of
 * nodes waiting for a response.
 */
export const WAITING_MAX = 25_000;

export function createAcknowledgements(
  upstream: Pick<Upstream, 'ask'>,
  clock: RelayClock,
): Acknowledgements {
  const byFeed = new Map<string, Waiting[]>();
  const reportTo = createReports(upstream);
  let count = 0;

  /**
   * Only one report per feed is in flight at a time. In the meantime, nodes for the next report are
   * collected.
   */
  async function send(name: string, feed: ReportedFeed, waiting: Waiting[]): Promise<void> {
    const sent = waiting.splice(0, POLICY_REPORT_NODES_MAX);
    count -= sent.length;
    try {
      const acks = sent.map(({ ack }) => ack);
      const reported = await reportTo(feed, acks);
      for (const { ack, resolve } of sent) resolve(reported(ack.node));
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
    if (waiting.length === 0) byFeed.delete(name);
    else gather(name, feed, waiting);
  }

  function gather(name: string, feed: ReportedFeed, waiting: Waiting[]): void {
    clock.after(GATHER_MS, () => void send(name, feed, waiting));
  }

  return {
    report: (feed, ack) =>
      new Promise((resolve, reject) => {
        if (count >= WAITING_MAX) return reject(new Unreachable('too many nodes are reporting'));
        const name = `${feed.credential} ${feed.projectId} ${feed.env}`;
        const known = byFeed.get(name);
        const waiting = known ?? [];
        waiting.push({ ack, resolve, reject });
        count += 1;
        if (known) return;
        byFeed.set(name, waiting);
        gather(name, feed, waiting);
      }),
  };
}

function createReports(upstream: Pick<Upstream, 'ask'>) {
  /** True if the control plane predates node names and rejects reports that contain them. */
  let isOld = false;

  const ask = ({ credential, projectId, env }: ReportedFeed, acks: Iterable<Ack>) =>
    upstream.ask({
      method: 'POST',
      target: '/v1/policy/report',
      headers: { authorization: credential, 'content-type': 'application/json' },
      body: JSON.stringify({
        project_id: projectId,
        ...(env !== null && { env }),
        nodes: Array.from(acks, (ack) => reportedNode(ack, isOld)),
      }),
      timeoutMs: TIMEOUT_MS,
    });

  return async (feed: ReportedFeed, all: readonly Ack[]): Promise<(node: string) => Reported> => {
    // If a node has polled twice, only the version from its latest poll is reported.
    const acks = new Map(all.map((ack) => [ack.node, ack]));
    let answer = await ask(feed, acks.values());
    if (answer.status === 400 && !isOld) {
      isOld = true;
      answer = await ask(feed, acks.values());
    }
    if (answer.status !== 200) {
      const refused = { refused: answer };
      return () => refused;
    }
    const { version, left } = recordedIn(answer.body);
    isOld = left === null;
    const recorded = { version };
    return (node) => (left?.has(node) ? { left: true } : recorded);
  };
}

const reportedNode = (
  { node, name, nextPollMs, version, sdk, understands }: Ack,
  isOld: boolean,
) => ({
  node_id: node,
  ...(!isOld && name !== null && { name }),
  ...(!isOld && nextPollMs !== null && { next_poll_ms: nextPollMs }),
  ...(!isOld && understands !== null && { understands }),
  version,
  sdk: sdk === '' ? null : (sdk?.slice(0, SDK_HEADER_CHARS_MAX) ?? null),
});

/** `left` is null if the response does not say which nodes have left. */
function recordedIn(body: Buffer): { version: number; left: ReadonlySet<string> | null } {
  try {
    const { version, left } = JSON.parse(body.toString());
    if (Number.isSafeInteger(version)) return { version, left: left ? new Set(left) : null };
  } catch {
    // Invalid JSON leads to the same error as a missing version.
  }
  throw new Unreachable('the response to a report is invalid');
}
