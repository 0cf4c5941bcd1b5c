// Outbound events: the vendor's webhook endpoints, and their deliveries.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import {
  CreatedWebhookEndpoint,
  DeletedWebhookEndpoint,
  DeliveryState,
  WebhookDelivery,
  WebhookEndpoint,
} from '../objects/webhook.ts';
import { list } from '../objects/wire.ts';
import { paging } from '../query.ts';
import { text } from '../text.ts';
import { Env, Name, OverlapHours } from '../validators.ts';
import { isEventFilter } from '../wire/event-types.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  WEBHOOK_ENDPOINTS_MAX,
  WEBHOOK_EVENTS_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from '../wire/limits.ts';

const Url = text(1, WEBHOOK_URL_CHARS_MAX).meta({
  format: 'uri',
  description:
    'Starts with `https://`. The host must only resolve to public IP addresses; this is checked ' +
    'again for each connection. Redirects are not followed.',
});

const Events = z
  .array(
    z
      .string()
      .refine(isEventFilter, 'must be the type of an event, `<type>.*` or `*`')
      .meta({
        examples: ['api_key.revoked', 'api_key.*', '*'],
      }),
  )
  .min(1)
  .max(WEBHOOK_EVENTS_MAX)
  .refine((events) => new Set(events).size === events.length, 'must not repeat an event');

const endpointFields = { url: Url, events: Events };

export const webhookEndpoints = endpoints({
  'POST /v1/webhook_endpoints': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Register a webhook endpoint',
    description:
      'Events are sent as Standard Webhooks. The signing secret is in `secret` and is shown ' +
      'once. A test credential can only register endpoints with `env: test`.',
    body: z.strictObject({
      ...endpointFields,
      env: Env.nullable().optional(),
      description: Name.nullable().optional(),
    }),
    refusals: { 409: `The workspace already has ${WEBHOOK_ENDPOINTS_MAX} endpoints.` },
    answers: { 201: CreatedWebhookEndpoint },
  },
  'GET /v1/webhook_endpoints': {
    auth: 'vendor',
    permission: 'webhooks:read',
    allProjects: true,
    summary: 'List webhook endpoints',
    description: 'Newest first. A test credential only sees endpoints with `env: test`.',
    query: z.strictObject(paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT)),
    list: true,
    answers: { 200: list(WebhookEndpoint) },
  },
  'GET /v1/webhook_endpoints/{id}': {
    auth: 'vendor',
    permission: 'webhooks:read',
    allProjects: true,
    summary: 'Read a webhook endpoint',
    description: 'Shows whether it is disabled, and why. The secret is never shown again.',
    answers: { 200: WebhookEndpoint },
  },
  'PATCH /v1/webhook_endpoints/{id}': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Change a webhook endpoint',
    description:
      'Changes the fields you send. `disabled: true` stops all deliveries, and `false` resumes ' +
      'them; events in between are not sent.',
    body: z.strictObject({
      url: Url.optional(),
      events: Events.optional(),
      env: Env.nullable().optional(),
      description: Name.nullable().optional(),
      disabled: z.boolean().optional(),
    }),
    bodyOptional: true,
    answers: { 200: WebhookEndpoint },
  },
  'DELETE /v1/webhook_endpoints/{id}': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Remove a webhook endpoint',
    description: 'Nothing more is sent to it, not even events that are already queued.',
    answers: { 200: DeletedWebhookEndpoint },
  },
  'POST /v1/webhook_endpoints/{id}/rotate_secret': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Replace the signing secret',
    description: 'Messages are signed with both secrets until the overlap ends.',
    body: z.strictObject({ overlap_hours: OverlapHours }),
    bodyOptional: true,
    answers: { 200: CreatedWebhookEndpoint },
  },
  'POST /v1/webhook_endpoints/{id}/test': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Send a test event',
    description:
      "Sends a `webhook.test` event immediately and waits up to 15 seconds for your endpoint's " +
      'response. A failed test is not retried. A workspace can send 10 tests a minute. In the ' +
      'rare case that the server is busy sending, the delivery is still `pending` in the ' +
      'response and is sent later.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 409: 'The endpoint is disabled, or another test of it is in progress.' },
    answers: { 200: WebhookDelivery },
  },
  'GET /v1/webhook_endpoints/{id}/deliveries': {
    auth: 'vendor',
    permission: 'webhooks:read',
    allProjects: true,
    summary: 'List the deliveries to an endpoint',
    description: 'From the last 30 days, newest first.',
    query: z.strictObject({
      state: DeliveryState.optional(),
      ...paging(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT),
    }),
    list: true,
    answers: { 200: list(WebhookDelivery) },
  },
  'POST /v1/webhook_deliveries/{id}/retry': {
    auth: 'vendor',
    permission: 'webhooks:write',
    allProjects: true,
    summary: 'Deliver an event again',
    description:
      'Makes a delivery due now, whatever its state. The receiver can recognise it by the same ' +
      '`webhook-id`.',
    body: z.strictObject({}),
    bodyOptional: true,
    refusals: { 409: 'The endpoint is disabled.' },
    answers: { 200: WebhookDelivery },
  },
});
