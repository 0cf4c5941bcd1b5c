// docs/events.md is what scripts/events-document.ts writes.
import { equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { auditActions, noticeTypes } from '@keyrail/protocol/wire/event-types.ts';
import { EVENTS_PATH, eventsDocument } from '../../scripts/events-document.ts';

test('the document of events is current, and has every type', () => {
  const text = readFileSync(EVENTS_PATH, 'utf8');
  equal(text, eventsDocument(text), 'run: node scripts/events-document.ts');
  for (const type of [...auditActions, ...noticeTypes]) ok(text.includes(`### ${type}\n`), type);
});
