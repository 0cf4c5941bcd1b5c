// Every regular expression in production code runs in time proportional to the length of its input.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Exceptions,
  expressionFaults,
  expressionsIn,
  nameOf,
  slownessOf,
} from './expressions.ts';
import { list, source, sources } from './tree.ts';

const exceptions: Exceptions = {
  'packages/protocol/src/wire/uuid.ts': 'a copy of the expression above it',
  'packages/server/src/features/accounts/password-policy.ts ^(.+?)\\1+$': 'of 20 characters',
  'packages/server/src/features/mail/send-mail.job.ts': 'contains an escaped email address',
  'packages/server/src/volatile/redis-addresses.ts ^(rediss?:\\/\\/(?:[^/]*@)?)([^/?#]*)(.*)$':
    'reads REDIS_URL',
  'packages/server/src/volatile/redis-survey.ts ^\\S+ (\\S+):(\\d+)@\\S+ \\S*\\bmaster\\b':
    'reads Redis’s response about its cluster',
};

const production = sources(['ts', 'tsx']).filter(({ path }) => path.startsWith('packages/'));
const all = production.flatMap(expressionsIn);

test('every regular expression’s running time is proportional to the length of its input', async () => {
  deepEqual(list(await expressionFaults(all, exceptions)), []);
});

test('every exception is for an expression that still exists and needs it', async () => {
  const names = new Set(all.map(nameOf));
  for (const name of Object.keys(exceptions)) {
    equal(names.has(name), true, name);
    const [one] = all.filter((each) => nameOf(each) === name);
    const says = one?.pattern ? await slownessOf(one.pattern, one.flags) : 'not written';
    notEqual(says, null, name);
  }
});

for (const expression of [
  /^[ \t]+|[ \t]+$/g,
  /[ \t]+$/,
  /(a+)+$/,
  /^(a|a)*$/,
  /^(?:[a-z]+-?)+$/,
  /^bearer\s+(.*?)\s*$/i,
  /^bearer *(\S+ *)+$/i,
  /\s*,\s*/,
  /<[^>]*>/,
  /^(a{1,30}){1,30}$/,
  /^(a+)\1$/,
  /^a|b+$/,
  /^(.+?)\1+$/,
]) {
  test(`the check rejects ${expression}`, async () => {
    notEqual(await slownessOf(expression.source, expression.flags), null);
  });
}

for (const expression of [
  /^bearer +(\S+) *$/i,
  /^[\w!#$%&'*+.^`|~-]{1,128}$/,
  /^[a-z]+(?:-[a-z]+)*$/,
  /"[^"]*"/,
  /<[^<>]*>/,
  /[^A-Za-z0-9*._-]/g,
  /^[ -~]*$/,
]) {
  test(`the check accepts ${expression}`, async () => {
    equal(await slownessOf(expression.source, expression.flags), null);
  });
}

test('the check finds regular expressions no matter how they are created', async () => {
  const found = async (code: string) =>
    list(await expressionFaults(expressionsIn(source('packages/sdk/src/x.ts', code)), {}));
  equal((await found('const blanks = /^[ \\t]+|[ \\t]+$/g;')).length, 1);
  equal((await found("new RegExp('(a+)+$', 'i');")).length, 1);
  equal((await found("RegExp('(a+)+$');")).length, 1);
  equal((await found(`new RegExp(\`[ ]+\${end}$\`);`)).length, 1);
  equal((await found('new RegExp(pattern);')).length, 1);
  equal((await found(`new RegExp(\`^[a-z]{1,\${most}}$\`);`)).length, 0);
});
