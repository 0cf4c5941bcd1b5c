// Run by node-20.test.ts next to the built package; prints the result as one line of JSON.
const { createServer } = require('node:http');
const { createKeyrail } = require('@keyrail/sdk');
const { protect } = require('@keyrail/sdk/node');
const { createTestKeyrail } = require('@keyrail/sdk/testing');

const TOO_MANY_BYTES = 11 * 1024 * 1024;

/**
 * Returns the response status for a body that is too large. The adapter throws the error and the
 * node must recognise it, even though they are separate CommonJS bundles.
 */
const saidToLarge = (guard, node, key) =>
  new Promise((resolve, reject) => {
    const server = createServer(guard(node, { idempotency: true }, () => reject(new Error('ran'))));
    server.listen(0, '127.0.0.1', async () => {
      const headers = { 'x-api-key': key, 'idempotency-key': 'one' };
      const body = new Uint8Array(TOO_MANY_BYTES);
      const url = `http://127.0.0.1:${server.address().port}`;
      const { status } = await fetch(url, { method: 'POST', headers, body });
      server.closeAllConnections();
      server.close(() => resolve(status));
    });
  });

module.exports = async (loaded) => {
  const made = loaded ?? { createKeyrail, createTestKeyrail, protect };
  const node = await made.createTestKeyrail({
    keys: [{ scopes: ['a'] }, { expiresAt: new Date(0) }],
    cacheDir: process.argv[2],
  });
  const [good, ended] = node.keys;
  const verdict = (key, route) => {
    const decision = node.verify(key, route);
    return decision.allowed ? decision.context.tenantId === good.tenantId : decision.reason;
  };
  const before = [verdict(good.key, { scopes: ['a'] }), verdict(good.key, { scopes: ['b'] })];
  const others = [verdict(ended.key), verdict('kr_live_x'), verdict(null)];
  const call = { method: 'GET', path: '/', header: () => `Bearer ${good.key}` };
  const admission = await node.admit(call, {});
  const large = await saidToLarge(made.protect, node, good.key);
  await node.revoke(good.key);
  const after = verdict(good.key);
  await node.close();
  let refused = '';
  try {
    made.createKeyrail({ url: 'ftp://x', secretKey: 'x', projectId: 'x' });
  } catch (error) {
    refused = error.name;
  }
  const major = Number(process.versions.node.split('.')[0]);
  return { major, before, others, admitted: admission.kind, large, after, refused };
};

if (require.main === module) {
  module.exports(null).then((said) => console.log(JSON.stringify(said)));
}
