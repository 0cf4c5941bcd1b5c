// The anchor destinations that the setting accepts.
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './audit.ts';
import { Fault } from './setting.ts';

test('destinations are absolute file paths and https URLs', () => {
  deepEqual(audit.auditAnchors.parse('/mnt/a.jsonl, https://u:p@keep.example/a'), [
    { kind: 'file', path: '/mnt/a.jsonl' },
    { kind: 'url', url: 'https://u:p@keep.example/a' },
  ]);
});

for (const text of ['http://keep.example/a', './a.jsonl', '/a,', '/mnt/', '/a,/b,/c,/d,/e']) {
  test(`the destination ${text} is rejected`, () =>
    throws(() => audit.auditAnchors.parse(text), Fault));
}
