// The places of anchors, as the setting names them.
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './audit.ts';
import { Fault } from './setting.ts';

test('places are absolute paths of files and https addresses', () => {
  deepEqual(audit.auditAnchors.parse('/mnt/a.jsonl, https://u:p@keep.example/a'), [
    { kind: 'file', path: '/mnt/a.jsonl' },
    { kind: 'url', url: 'https://u:p@keep.example/a' },
  ]);
});

for (const text of ['http://keep.example/a', './a.jsonl', '/a,', '/mnt/', '/a,/b,/c,/d,/e']) {
  test(`${text} is refused`, () => throws(() => audit.auditAnchors.parse(text), Fault));
}
