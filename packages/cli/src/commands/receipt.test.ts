// Receipts on the command line: saved when a key is revoked, and verified without a server.
import { equal, match } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setUpCli } from '../../test/harness.ts';

test('a receipt can be saved when a key is revoked, and verified offline', async (t) => {
  const setup = await setUpCli(t);
  const { here: keyrail, given, as, home } = setup;
  await setup.testApp.app.prepare();
  const { id } = await given.key();
  const path = join(home, 'revoked.jws');
  const jwks = join(home, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await as.nobody('GET /.well-known/jwks.json')));
  const revoke = ['keys', 'revoke', id, '--yes', '--receipt', path];
  equal((await keyrail(revoke)).code, 2, 'without --wait');
  equal((await as.liveKey('GET /v1/keys/{id}', { id })).revoked_at, null);
  match((await keyrail([...revoke, '--wait'])).stdout, /The receipt is in .*revoked\.jws\./);
  match((await keyrail([...revoke, '--wait'])).stderr, /exists/);
  const verify = ['receipt', 'verify', path, '--jwks', jwks];
  const told = await keyrail(verify, { env: { KEYRAIL_URL: 'http://127.0.0.1:9' } });
  match(
    told.stdout,
    new RegExp(`^Valid receipt, signed by .* Key ${id} was revoked in policy version `),
  );
  match(told.stdout, /: complete\. Silent nodes not waited for: 0\.$/m);
  equal((await keyrail([...verify, '--json'])).code, 0);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/\.[^.]{4}/, '.AAAA'));
  const refused = await keyrail(verify);
  equal(refused.code, 1);
  match(refused.stderr, /Invalid receipt\. /);
  equal((await keyrail(['receipt', 'verify', path, '--jwks', path])).code, 2);
});
