import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Plane } from '../test/plane.ts';
import { secretKeyOf } from '../test/rig.ts';
import { createNode } from './keyrail.ts';

test('ready() with an infinite timeout waits for the policy', async (t) => {
  const plane = new Plane();
  const snapshot = plane.snapshot(0);
  const node = createNode(
    {
      url: 'https://plane.invalid',
      secretKey: secretKeyOf('live'),
      projectId: String(snapshot.project_id),
      telemetry: false,
      log: () => {},
    },
    {
      fetch: async (_url, { signal }) => {
        if (node.state().version !== null) {
          return new Promise((_, reject) => signal?.addEventListener('abort', reject));
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
        return Response.json(snapshot);
      },
    },
  );
  t.after(() => node.close());
  equal(await node.ready(Number.POSITIVE_INFINITY), true);
});
