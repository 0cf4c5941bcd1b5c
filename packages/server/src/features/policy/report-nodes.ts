// Records nodes that poll a relay instead of this server.
import type { Read } from '../../doors/door.ts';
import type { FeedFilter } from './feed-view.ts';
import { sdkNameIn } from './node-headers.ts';
import type { NodeRegistry } from './node-registry.ts';

type Report = {
  filter: FeedFilter;
  nodes: readonly { node_id: string; version: number | null; sdk: string | null }[];
};

/**
 * Records each node as its own poll would. Returns the version of the project, read afterwards: a
 * revocation up to that version may not have waited for these nodes, all later ones do.
 */
export async function reportNodes(
  registry: NodeRegistry,
  read: Read,
  { filter, nodes }: Report,
): Promise<number> {
  await Promise.all(
    nodes.map(({ node_id: nodeId, version, sdk }) =>
      registry.seen(read, { filter, nodeId, sdk: sdkNameIn(sdk ?? undefined) }, version),
    ),
  );
  return registry.seen(read, { filter, nodeId: undefined, sdk: null }, null);
}
