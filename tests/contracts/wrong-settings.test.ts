// A node with a wrong setting logs which setting it is and how to fix it.
import { equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { harness } from '@keyrail/testing/harness.ts';
import { until } from '@keyrail/testing/until.ts';
import type { KeyrailOptions } from '../../packages/sdk/src/api/options.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';

/** The first line that a node logs about its feed. */
async function saidBy(t: TestContext, options: KeyrailOptions): Promise<string> {
  const said: string[] = [];
  const log = (_: string, message: string) => void said.push(message);
  const node = createKeyrail({ telemetry: false, ...options, log });
  t.after(() => node.close());
  await until(() => node.state().failure !== null);
  const line = said.find((each) => each.includes('the control plane responded with')) ?? '';
  ok(line.includes(node.state().failure?.message ?? '?'), line);
  return line;
}

test('a node with a wrong project or URL logs which setting to change', async (t) => {
  const app = await harness(t);
  const url = await addressOf(app.testApp);
  const { project_id: projectId } = await app.given.key();
  const { project_id: foreign } = await (await harness(t)).given.key();
  const secretKey = app.tokens.liveKey;
  const failed = 'keyrail: the control plane responded with 404 not_found: ';
  const kept = '; there is no policy yet';
  for (const wrong of [foreign, crypto.randomUUID()]) {
    equal(
      await saidBy(t, { url, secretKey, projectId: wrong }),
      `${failed}the workspace of this secret key has no project ${wrong}; set projectId to the ID ` +
        `of one of its projects, or use a secret key from the right workspace${kept}`,
    );
  }
  for (const wrong of [`${url}/v1`, `${url}/v1/`, [`${url}/v1`, url]]) {
    equal(
      await saidBy(t, { url: wrong, secretKey, projectId }),
      `${failed}url must not end in /v1, which the SDK adds; set url to ${url}${kept}`,
    );
  }
});
