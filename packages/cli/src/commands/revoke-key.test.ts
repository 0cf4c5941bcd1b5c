// What the CLI says about nodes after a key is revoked or disabled. A proxy modifies the server's
// responses, so that every case can be tested.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { incompleteReasons } from '@keyrail/protocol/wire/receipt.ts';
import { forwarder } from '../../test/forwarder.ts';
import { setUpCli } from '../../test/harness.ts';

const sentences = {
  restored:
    /^The server was restored from a backup moments ago\. .+ Run the command again in 2 min/m,
  full: /^The project can't register more nodes\. .+ Let nodes share a relay, or split the project\./m,
  silent: /^At least one node has not polled since the change\. .+ until it polls again\./m,
  timeout:
    /^At least one node polled moments ago but has not confirmed the change yet, .+ Run the/m,
};

for (const command of ['revoke', 'disable']) {
  test(`${command} --wait says why the change may not have reached every node`, async (t) => {
    const { here, given, url } = await setUpCli(t);
    const proxy = await forwarder(t, url);
    const { id, display_prefix: prefix } = await given.key();
    const keyrail = (...words: string[]) =>
      here(['keys', command, id, '--wait', '--yes', ...words], { env: { KEYRAIL_URL: proxy.url } });
    for (const reason of incompleteReasons) {
      proxy.revise = revised({ complete: false, incomplete_reason: reason });
      const told = await keyrail();
      equal(told.code, 0, told.stderr);
      const done = `${prefix}( was already revoked on \\S+)?`;
      match(told.stdout, new RegExp(`${done}\\. No nodes have reported back\\.\\n$`));
      match(told.stderr, sentences[reason]);
      equal(told.stderr.trim().split('\n').length, 1, told.stderr);
      const { propagation } = JSON.parse((await keyrail('--json')).stdout);
      equal(propagation.incomplete_reason, reason);
    }
    proxy.revise = revised({
      complete: false,
      incomplete_reason: 'silent',
      total_nodes: 1,
      nodes: [{ node_id: 'api-1', acked: false }],
    });
    const missing = await keyrail();
    match(missing.stdout, /0 of 1 nodes have applied it\.\n$/);
    match(missing.stderr, /^Not yet acknowledged by: api-1$/m);
    match(missing.stderr, sentences.silent);
    proxy.revise = (body) => body;
    const complete = await keyrail();
    match(complete.stdout, /No nodes are connected\.\n$/);
    ok(!complete.stderr.includes('node'), complete.stderr);
  });
}

/** Changes the `propagation` of a response, if it has one. */
const revised = (changes: object) => (body: string) => {
  const { propagation, ...key } = JSON.parse(body);
  const stated = propagation && { ...propagation, ...changes };
  return JSON.stringify({ ...key, ...(stated && { propagation: stated }) });
};
