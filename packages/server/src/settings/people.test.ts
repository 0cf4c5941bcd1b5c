// Settings for accounts, including a default that depends on the email transport.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Config, readConfig } from '../config.ts';

function configOf(env: Record<string, string>): Config {
  const result = readConfig(env);
  ok('config' in result, JSON.stringify(result));
  return result.config;
}

test('KEYRAIL_VERIFIED_ONLY defaults to on if email is sent by SMTP, and to off otherwise', () => {
  const smtp = { KEYRAIL_MAIL: 'smtp://mail.example.com:25' };
  equal(configOf({}).people.verifiedOnly, false);
  equal(configOf({ KEYRAIL_MAIL: 'file:/tmp/mail' }).people.verifiedOnly, false);
  equal(configOf(smtp).people.verifiedOnly, true);
  equal(configOf({ ...smtp, KEYRAIL_VERIFIED_ONLY: 'off' }).people.verifiedOnly, false);
  equal(configOf({ KEYRAIL_VERIFIED_ONLY: 'on' }).people.verifiedOnly, true);
});

test('sign-up can be open, only for invited users, or off', () => {
  for (const policy of ['open', 'invited', 'off']) {
    equal(configOf({ KEYRAIL_SIGNUP: policy }).people.signupPolicy, policy);
  }
  equal(configOf({ KEYRAIL_INVITES_PER_HOUR: '7' }).people.invitesPerHourMax, 7);
});

test('invalid account settings are rejected, and each error names the setting', () => {
  const wrong = {
    KEYRAIL_SIGNUP: 'closed',
    KEYRAIL_VERIFIED_ONLY: 'yes',
    KEYRAIL_INVITES_PER_HOUR: '0',
  };
  deepEqual(readConfig(wrong), {
    faults: [
      'KEYRAIL_SIGNUP must be one of open, invited, off: closed',
      'KEYRAIL_VERIFIED_ONLY must be on or off: yes',
      'KEYRAIL_INVITES_PER_HOUR must be a whole number, 1 to 10000: 0',
    ],
    warnings: [],
  });
});
