// Run by node-20.test.ts beside the compiled client: one line of JSON says what happened.
import { createClient } from './client.js';
import { KeyrailError, KeyrailUnreachable } from './errors.js';

const [, , url, dead] = process.argv;
const client = createClient({ url, token: 'krsk_test_smoke' });

const pages = [];
for await (const { items } of client.pages('GET /v1/environments')) {
  pages.push(items.map(({ name }) => name));
}

const failure = (call) =>
  call.then(
    () => null,
    (error) => error,
  );
const refused = await failure(client.call('GET /v1/keys/{id}', { params: { id: 'x' } }));
const nowhere = createClient({ url: dead, retries: 0 });
const unreachable = await failure(nowhere.call('GET /healthz'));
const signal = AbortSignal.abort(new Error('enough'));
const aborted = await failure(client.call('GET /healthz', { signal }));

if (!(refused instanceof KeyrailError)) throw refused;
if (!(unreachable instanceof KeyrailUnreachable)) throw unreachable;
const { name, code, requestId } = refused;
console.log(
  JSON.stringify({
    major: Number(process.versions.node.split('.')[0]),
    pages,
    refused: { name, code, requestId },
    unreachable: unreachable.reason,
    aborted: aborted.message,
  }),
);
