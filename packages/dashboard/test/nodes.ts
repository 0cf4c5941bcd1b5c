// Nodes that use the SDK and are connected to a project on the test server.
import { equal } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createKeyrail } from '../../sdk/src/keyrail.ts';

type Place = { url: string; secretKey: string; projectId: string };

export async function startNodes(t: TestContext, names: readonly string[], place: Place) {
  const nodes = names.map((nodeName) =>
    createKeyrail({ ...place, nodeName, telemetry: false, log: () => {} }),
  );
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  for (const node of nodes) equal(await node.ready(), true);
  return nodes;
}
