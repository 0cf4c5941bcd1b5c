// Run by tests/packages with the package installed. Prints the results as one line of JSON.
const failureOf = (call) =>
  call.then(
    () => null,
    (error) => error,
  );

module.exports = async ({ createClient, KeyrailError, KeyrailUnreachable }) => {
  const [, , url, deadUrl] = process.argv;
  const client = createClient({ url, token: 'krsk_test_smoke' });
  const pages = [];
  for await (const { items } of client.environments.list.pages()) {
    pages.push(items.map(({ name }) => name));
  }
  const rejected = await failureOf(client.keys.get('x'));
  const unreachable = await failureOf(createClient({ url: deadUrl, retries: 0 }).server.health());
  const signal = AbortSignal.abort(new Error('enough'));
  const aborted = await failureOf(client.call('GET /healthz', { signal }));
  if (!(rejected instanceof KeyrailError)) throw rejected;
  if (!(unreachable instanceof KeyrailUnreachable)) throw unreachable;
  const { name, code, requestId } = rejected;
  return {
    major: Number(process.versions.node.split('.')[0]),
    pages,
    rejected: { name, code, requestId },
    unreachable: unreachable.reason,
    aborted: aborted.message,
  };
};

if (require.main === module) {
  module.exports(require('@keyrail/client')).then((result) => console.log(JSON.stringify(result)));
}
