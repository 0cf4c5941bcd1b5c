// Which anchor destinations KEYRAIL_AUDIT_ANCHORS accepts.
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './audit.ts';
import { Fault } from './setting.ts';

test('a destination is an absolute file path or an https URL', () => {
  deepEqual(audit.auditAnchors.parse('/mnt/a.jsonl, https://u:p@keep.example/a'), [
    { kind: 'file', path: '/mnt/a.jsonl' },
    { kind: 'url', url: 'https://u:p@keep.example/a' },
  ]);
});

for (const text of ['http://keep.example/a', './a.jsonl', '/a,', '/mnt/', '/a,/b,/c,/d,/e']) {
  test(`the destination ${text} is rejected`, () =>
    throws(() => audit.auditAnchors.parse(text), Fault));
}
