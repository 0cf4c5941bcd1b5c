// The patterns published for secret scanners match every credential that Keyrail creates, and don't
// match inside longer words.
import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CredentialKind, mintCredential } from './wire/key-format.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/secret-scanning.md'), 'utf8');
const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, 'vectors/key-format.json'), 'utf8'),
);

/** Returns the pattern in the docs, without the escaping that the Markdown table needs for `|`. */
const patternOf = (type: string): RegExp => {
  const cell = new RegExp(`^\\| ${type} \\| \`(.+)\` \\|$`, 'm').exec(page)?.[1];
  ok(cell, `no pattern for ${type}`);
  return new RegExp(cell.replaceAll('\\|', '|'), 'g');
};

const patterns: Record<CredentialKind, RegExp> = {
  api_key: patternOf('API key'),
  secret_key: patternOf('secret key'),
  session: patternOf('session'),
};

const minted = (kind: CredentialKind): string[] =>
  Array.from({ length: 200 }, (_, at) => {
    const env = at % 2 === 0 ? 'live' : 'test';
    return mintCredential(kind, kind === 'session' ? null : env, randomBytes).secret;
  });

for (const [kind, pattern] of Object.entries(patterns)) {
  test(`the pattern for ${kind} finds credentials in any surrounding text`, () => {
    const known: { kind: string; secret: string }[] = vectors.valid;
    const golden = known.filter((each) => each.kind === kind).map(({ secret }) => secret);
    ok(golden.length > 0);
    for (const secret of [...golden, ...minted(kind as CredentialKind)]) {
      for (const text of [secret, `KEY=${secret}\n`, `"${secret}"`, `bearer ${secret}.`]) {
        equal(text.match(pattern)?.join(), secret, text);
      }
      equal(`${secret}x`.match(pattern), null, 'a longer text does not match');
      equal(`x${secret}`.match(pattern), null);
    }
  });
}
