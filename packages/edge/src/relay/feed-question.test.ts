// Which feed requests the relay handles itself, and which it passes on to the control plane.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { feedQuestionIn } from './feed-question.ts';

const delta = '/v1/policy/delta?project_id=p';

test("the node's ID is not part of a shared poll, whether it was sent in a header or in the query", () => {
  const expected = {
    target: `${delta}&env=live&since=4&max_keys=5000&wait_ms=25000`,
    projectId: 'p',
    env: 'live',
    node: 'a:1',
    name: null,
    understands: null,
    nextPollMs: 25_000,
    since: 4,
    waitMs: 25_000,
    isFurtherPage: false,
    leaves: false,
    hasNonce: false,
  };
  const rest = 'since=4&max_keys=5000&wait_ms=25000';
  deepEqual(feedQuestionIn(`${delta}&env=live&${rest}`, { 'keyrail-node': 'a:1' }), expected);
  deepEqual(feedQuestionIn(`${delta}&env=live&node=a%3A1&${rest}`, {}), expected);
});

test("a node's name and poll interval are read from its headers", () => {
  const said = (more: Record<string, string>) => {
    const headers = { 'keyrail-node': 'a:1', 'keyrail-node-name': 'a', ...more };
    const question = feedQuestionIn(`${delta}&since=1`, headers);
    return question && [question.name, question.nextPollMs];
  };
  deepEqual(said({}), ['a', null]);
  deepEqual(said({ 'keyrail-poll-interval': '12000' }), ['a', 12_000]);
  deepEqual(said({ 'keyrail-poll-interval': '9999999' }), ['a', 90_000]);
  deepEqual(said({ 'keyrail-poll-interval': 'soon' }), ['a', null]);
  equal(said({ 'keyrail-node-name': 'two words' }), null, 'the control plane rejects it');
});

test('the features that a node can enforce are read from its poll', () => {
  const said = (query: string) => feedQuestionIn(`${delta}&since=1${query}`, {})?.understands;
  equal(said('&understands=alpha,beta'), 'alpha,beta');
  equal(said(''), null);
  for (const wrong of ['=', '=Alpha', '=alpha&understands=beta', `=${'a'.repeat(201)}`]) {
    equal(said(`&understands${wrong}`), undefined, 'the control plane rejects it');
  }
});

test('a request for a snapshot neither acknowledges a version nor waits', () => {
  const question = feedQuestionIn('/v1/policy/snapshot?project_id=p&cursor=c&wait_ms=7', {});
  deepEqual(
    [question?.since, question?.waitMs, question?.isFurtherPage, question?.node],
    [null, 0, true, null],
  );
});

test("a node's request to leave is recognised", () => {
  equal(feedQuestionIn(`${delta}&node=a&since=1&leave=true`, {})?.leaves, true);
});

const left: [string, string, Record<string, string>?][] = [
  ['an If-None-Match header', `${delta}&since=1`, { 'if-none-match': '*' }],
  ['no version', delta],
  ['a version that is not a number', `${delta}&since=x`],
  ['two versions', `${delta}&since=1&since=2`],
  ['two node IDs', `${delta}&since=1&node=a&node=b`],
  ['a malformed node ID', `${delta}&since=1`, { 'keyrail-node': 'a b' }],
  ['a very long wait', `${delta}&since=1&wait_ms=30001`],
  ['no query', '/v1/policy/delta'],
  ['a very long query', `${delta}&since=1&tenant_id=${'x'.repeat(5000)}`],
];

for (const [name, url, headers = {}] of left) {
  test(`a request with ${name} is passed on to the control plane`, () => {
    equal(feedQuestionIn(url, headers), null);
  });
}
