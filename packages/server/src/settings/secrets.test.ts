// No secret in the environment is printed, whether it is valid or rejected.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';

const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');
const TOKEN = 'a'.repeat(32);

const secrets: [string, string][] = [
  ['KEYRAIL_MAIL', 'imap://me:hunter2-and-more@mail.example'],
  ['KEYRAIL_MAIL', 'smtp://me:hunter2-and-more@mail.example/a path'],
  ['KEYRAIL_MAIL', 'smtp://me:hunter2-and-more@mail.example:99999'],
  ['DATABASE_URL', 'postgres://keyrail:hunter2-and-more@db:99999/keyrail'],
  ['DATABASE_URL', 'mysql://root:hunter2-and-more@db/keyrail'],
  ['REDIS_URL', 'http://:hunter2-and-more@cache:6379'],
  ['REDIS_URL', 'redis://:hunter2-and-more@cache:port'],
  ['REDIS_URL', 'redis:///hunter2-and-more'],
  ['KEYRAIL_BOOTSTRAP_TOKEN', 'hunter2-and-more'],
  ['KEYRAIL_BOOTSTRAP_TOKEN', `hunter2-and-more ${'x'.repeat(32)}`],
  ['KEYRAIL_BOOTSTRAP_TOKEN', `hunter2-and-more${'é'.repeat(32)}`],
  ['KEYRAIL_BOOTSTRAP_TOKEN', `krsk_live_hunter2-and-more${'x'.repeat(32)}`],
  ['KEYRAIL_BOOTSTRAP_TOKEN', `kr_live_hunter2-and-more${'x'.repeat(32)}`],
  ['KEYRAIL_BOOTSTRAP_TOKEN', `krses_hunter2-and-more${'x'.repeat(32)}`],
  ['KEYRAIL_MASTER_KEY', 'hunter2-and-more'],
  ['KEYRAIL_MASTER_KEY', Buffer.from(`hunter2-and-more${'x'.repeat(17)}`).toString('base64')],
  ['KEYRAIL_MASTER_KEY', `"${Buffer.from('hunter2-and-more'.repeat(2)).toString('base64')}"`],
  ['KEYRAIL_MASTER_KEY', `<${Buffer.from('hunter2-and-more'.repeat(2)).toString('base64url')}>`],
];

for (const [name, text] of secrets) {
  test(`${name} of ${text.length} characters is rejected without printing the secret`, () => {
    const read = readConfig({ KEYRAIL_MASTER_KEY: MASTER_KEY, [name]: text });
    const faults = 'faults' in read ? read.faults.join('\n') : '';
    match(faults, new RegExp(`^${name} must `));
    equal(faults.includes('hunter2') || faults.includes(text), false, faults);
  });
}

test('valid secrets do not appear in the serialized config', () => {
  const env = {
    DATABASE_URL: 'postgresql://keyrail:hunter2@db/keyrail',
    KEYRAIL_BOOTSTRAP_TOKEN: TOKEN,
    KEYRAIL_MASTER_KEY: MASTER_KEY,
    KEYRAIL_MAIL: 'smtp://me:hunter2@mail.example:25',
  };
  const read = readConfig(env);
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  const { config } = read;
  equal(config.store.databaseUrl?.reveal(), env.DATABASE_URL);
  equal(config.secrets.bootstrapToken?.reveal(), TOKEN);
  equal(config.secrets.masterKey?.reveal(), MASTER_KEY);
  equal(config.mail.mail.kind === 'smtp' && config.mail.mail.url.reveal(), env.KEYRAIL_MAIL);
  for (const text of Object.values(env)) equal(JSON.stringify(config).includes(text), false);
});
