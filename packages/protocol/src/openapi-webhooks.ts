// The events in the OpenAPI document. Each is a request that Keyrail sends to the vendor's
// endpoint.
import { type Components, type JsonObject, jsonSchemaOf } from './json-schema.ts';
import { ChangeEvent, NoticeEvent, TestEvent } from './objects/webhook.ts';
import { eventOperationId } from './operation-names.ts';
import { eventTexts } from './wire/event-texts.ts';
import { auditActions, noticeTypes, TEST_EVENT } from './wire/event-types.ts';
import { WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP } from './wire/webhook-signature.ts';

export function webhooksOf(components: Components): Record<string, JsonObject> {
  const change = jsonSchemaOf(ChangeEvent, 'output', components);
  const notice = jsonSchemaOf(NoticeEvent, 'output', components);
  const test = jsonSchemaOf(TestEvent, 'output', components);
  return Object.fromEntries([
    ...auditActions.map((type) => [type, { post: received(type, change) }] as const),
    ...noticeTypes.map((type) => [type, { post: received(type, notice) }] as const),
    [TEST_EVENT, { post: received(TEST_EVENT, test) }],
  ]);
}

const received = (type: keyof typeof eventTexts, event: JsonObject): JsonObject => ({
  operationId: eventOperationId(type),
  tags: ['webhookEndpoints'],
  summary: `\`${type}\``,
  description: `${eventTexts[type]} Verify the signature before you parse the body.`,
  security: [],
  parameters,
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { allOf: [event, { properties: { type: { const: type } } }] } },
    },
  },
  responses: {
    204: { description: 'Any 2xx within 15 seconds: the event is not sent again.' },
    default: { description: 'Anything else: the event is sent again.' },
  },
});

const header = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const parameters = [
  header(WEBHOOK_ID, 'The same in every attempt: ignore an ID you have already seen.'),
  header(WEBHOOK_TIMESTAMP, 'The time of this attempt, in seconds since 1970.'),
  header(WEBHOOK_SIGNATURE, 'Standard Webhooks 1.0: one `v1,…` for each valid secret.'),
];
