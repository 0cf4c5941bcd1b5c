// Records nodes that poll a relay instead of this server.
import type { Read } from '../../doors/door.ts';
import { type FeedFilter, knownOf } from './feed-view.ts';
import { sdkNameIn } from './node-headers.ts';
import { type NodeRegistry, versionOf } from './node-registry.ts';

type Report = {
  filter: FeedFilter;
  nodes: readonly ReportedNode[];
  /** The features that keys may require. */
  features: readonly string[];
};

type ReportedNode = {
  node_id: string;
  name: string | null;
  next_poll_ms: number | null;
  version: number | null;
  sdk: string | null;
  understands?: string[] | undefined;
};

type Reported = { version: number; left: string[] };

/**
 * Records each node as if it had polled this server, except nodes that have left. Returns the
 * project's version, read after the nodes are recorded: revocations up to that version may not have
 * waited for these nodes, but all later ones do.
 */
export async function reportNodes(
  registry: NodeRegistry,
  read: Read,
  { filter: feed, nodes, features }: Report,
): Promise<Reported> {
  const left: string[] = [];
  await Promise.all(
    nodes.map(async ({ node_id: nodeId, name, next_poll_ms: nextPollMs, version, ...said }) => {
      const sdk = sdkNameIn(said.sdk ?? undefined);
      const filter = { ...feed, understands: knownOf(said.understands, features) };
      const node = { filter, nodeId, name, nextPollMs, sdk };
      if ((await registry.seen(read, node, version)) === 'left') left.push(nodeId);
    }),
  );
  const nobody = { filter: feed, nodeId: undefined, name: null, nextPollMs: null, sdk: null };
  return { version: versionOf(await registry.seen(read, nobody, null)), left };
}
