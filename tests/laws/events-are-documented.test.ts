// docs/events.md is exactly what scripts/events-document.ts generates.
import { equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ChangeEvent, NoticeEvent, TestEvent } from '@keyrail/protocol/objects/webhook.ts';
import { auditActions, noticeTypes } from '@keyrail/protocol/wire/event-types.ts';
import { z } from 'zod';
import { EVENTS_PATH, eventsDocument } from '../../scripts/events-document.ts';

test('the events document is up to date and covers every event type', () => {
  const text = readFileSync(EVENTS_PATH, 'utf8');
  equal(text, eventsDocument(text), 'run: node scripts/events-document.ts');
  for (const type of [...auditActions, ...noticeTypes]) ok(text.includes(`### ${type}\n`), type);
});

test('the samples match the schemas in the OpenAPI document', () => {
  const text = readFileSync(EVENTS_PATH, 'utf8');
  const generated = text.slice(text.indexOf('## Changes'));
  const bodies = Array.from(generated.matchAll(/```json\n(.*?)```/gs), ([, body = '']) => body);
  equal(bodies.length, auditActions.length + noticeTypes.length + 1);
  const Event = z.discriminatedUnion('type', [ChangeEvent, NoticeEvent, TestEvent]);
  for (const body of bodies) Event.parse(JSON.parse(body));
});
