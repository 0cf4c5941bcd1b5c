// What differs on a terminal: tables that fit, colours, questions, and hidden passwords.
import { equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { PASSWORD } from '@keyrail/testing/people.ts';
import { parsed, setUpCli } from '../../test/harness.ts';
import { atTerminal, hasTerminals, noTerminals } from '../../test/pseudo-terminal.ts';

async function setUpTerminal(t: TestContext) {
  const stood = await setUpCli(t);
  const env = { HOME: stood.home, KEYRAIL_URL: stood.url, KEYRAIL_TOKEN: stood.tokens.liveKey };
  return { ...stood, env };
}

test('on a terminal, a table fits its width and is coloured', async (t) => {
  if (!hasTerminals) return t.skip(noTerminals);
  const { env, given } = await setUpTerminal(t);
  await given.key({ name: 'a name that is far too long for a terminal of eighty columns' });
  for (const columns of [80, 120]) {
    const { screen, code } = await atTerminal('keys list', { env, columns });
    equal(code, 0);
    ok(screen.includes('\u001b[32mactive\u001b[0m'));
    const lines = stripVTControlCharacters(screen).split('\n');
    ok(
      lines.every((line) => [...line].length <= columns),
      screen,
    );
    match(screen, /…/);
  }
  const { screen } = await atTerminal('keys list', { env: { ...env, NO_COLOR: '1' } });
  equal(screen.includes('\u001b['), false);
});

test('an irreversible command asks first, and can be confirmed only by typing y', async (t) => {
  if (!hasTerminals) return t.skip(noTerminals);
  const { env, given, keyrail } = await setUpTerminal(t);
  const { id } = await given.key();
  const asked = (types: string) =>
    atTerminal(`keys revoke ${id}`, { env, turns: [{ sees: /\[y\/N\] /, types }] });
  const state = async () => parsed(await keyrail(`keys get ${id} --json`)).revoked_at;

  for (const answer of ['n\r', '\r', '\u0004', '\u0003']) {
    equal((await asked(answer)).code, answer < ' ' && answer !== '\r' ? 130 : 2);
    equal(await state(), null);
  }
  const { screen, code } = await asked('y\r');
  equal(code, 0);
  match(screen, /Keys: 1, active now: 1\. Tenants: 1\. Last used: never\.[\s\S]*\[y\/N\]/);
  match(screen, /Revoked kr_live_/);
  ok(await state());
});

test('a password prompt does not echo', async (t) => {
  if (!hasTerminals) return t.skip(noTerminals);
  const { env, people } = await setUpTerminal(t);
  const { email } = await people.owner();
  const { screen, code } = await atTerminal('login --profile me', {
    env,
    turns: [
      { sees: /Email: /, types: `${email}\r` },
      { sees: /Password for /, types: `${PASSWORD}\r` },
    ],
  });
  equal(code, 0, screen);
  equal(screen.includes(PASSWORD), false);
  equal(screen.includes('krses_'), false);
  const who = await atTerminal('whoami --profile me', { env });
  ok(who.screen.includes(email));
});

test('on a terminal, a new secret is printed after its details', async (t) => {
  if (!hasTerminals) return t.skip(noTerminals);
  const { env } = await setUpTerminal(t);
  const { screen } = await atTerminal('secret-keys create --env test --name shown', { env });
  match(
    stripVTControlCharacters(screen),
    /name +shown\n[\s\S]*\n\nkrsk_test_\S+\nSave the secret key/,
  );
});
