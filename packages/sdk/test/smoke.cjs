// Run by node-20.test.ts beside the built package: one line of JSON says what happened.
const { createKeyrail } = require('@keyrail/sdk');
const { createTestKeyrail } = require('@keyrail/sdk/testing');

module.exports = async (loaded) => {
  const made = loaded ?? { createKeyrail, createTestKeyrail };
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
  return { major, before, others, admitted: admission.kind, after, refused };
};

if (require.main === module) {
  module.exports(null).then((said) => console.log(JSON.stringify(said)));
}
