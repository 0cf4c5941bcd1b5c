// Webhook endpoints and their deliveries.
import type { Answer, Item } from '@keyrail/client';
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import {
  changeCommand,
  confirmedCommand,
  type Group,
  listCommand,
  requireChange,
  secretCommand,
  showCommand,
} from '../command.ts';
import { usage } from '../failures.ts';
import type { Given } from '../input/given.ts';
import { envOf, envOption, idArg, overlapOf } from '../input/options.ts';
import { createdField, type Field, idField, updatedField } from '../output/fields.ts';
import { webhookListen } from './listen.ts';

type Endpoint = Answer<'GET /v1/webhook_endpoints/{id}'>;
type Delivery = Item<'GET /v1/webhook_endpoints/{id}/deliveries'>;

const fields: readonly Field<Endpoint>[] = [
  idField,
  { title: 'url', of: (endpoint) => endpoint.url, shrink: true },
  { title: 'events', of: (endpoint) => endpoint.events.join(' '), shrink: true },
  { title: 'env', of: (endpoint) => endpoint.env ?? 'both' },
  {
    title: 'state',
    of: ({ disabled_at: at }) =>
      at ? { text: 'disabled', tone: 'red' } : { text: 'enabled', tone: 'green' },
  },
  { title: 'reason', of: (one) => one.disabled_reason, only: 'record', ifAny: true },
  { title: 'description', of: (one) => one.description, only: 'record', ifAny: true },
  createdField,
  updatedField,
];

const tones = { pending: 'yellow', delivered: 'green', failed: 'red' } as const;
const states = ['pending', 'delivered', 'failed'] as const;

const deliveryFields: readonly Field<Delivery>[] = [
  idField,
  { title: 'type', of: (one) => one.type },
  { title: 'state', of: ({ state }) => ({ text: state, tone: tones[state] }) },
  { title: 'attempts', of: (one) => one.attempts },
  { title: 'status', of: (one) => one.last_status },
  { title: 'error', of: (one) => one.last_error, shrink: true },
  { title: 'next attempt', of: (one, format) => format.time(one.next_attempt_at), drop: 1 },
  createdField,
];

const eventOption = {
  flags: '--event <type>',
  about: 'a type such as api_key.revoked, a group such as "api_key.*", or "*"; repeatable',
  repeat: true,
} as const;

const urlOption = { flags: '--endpoint <url>', about: 'HTTPS URL to send events to' } as const;
const descriptionOption = {
  flags: '--description <text>',
  about: 'description, for your team',
} as const;

const created = {
  fields,
  secret: ({ secret }: { secret?: string | undefined }) => secret,
  replace: ({ id }: { id: string }) => `Replace it with: keyrail webhooks rotate-secret ${id}`,
  what: 'signing secret',
};

const named = (given: Given) => ({ params: { id: given.id('id') } });

/** `both` means that the endpoint is not limited to one environment. */
const newEnvOf = (given: Given) =>
  given.maybe('env') === 'both' ? null : given.maybeOneOf('env', ['live', 'test'] as const);

function disabledOf(given: Given): boolean | undefined {
  const isOn = given.flag('enable');
  const isOff = given.flag('disable');
  if (isOn && isOff) throw usage('Use only one of --enable and --disable.');
  return isOn || isOff ? isOff : undefined;
}

export const webhooks: Group = {
  name: 'webhooks',
  summary: 'endpoints that receive signed events',
  commands: [
    listCommand({
      summary: 'list endpoints, newest first',
      examples: ['keyrail webhooks list'],
      pageMax: LIST_LIMIT_MAX,
      pages: (client, _, page) => client.pages('GET /v1/webhook_endpoints', page),
      fields,
      empty: 'No endpoints.',
    }),
    showCommand({
      name: 'get',
      summary: 'show an endpoint',
      args: [idArg],
      examples: ['keyrail webhooks get 01890c5e-…'],
      request: (client, given) => client.call('GET /v1/webhook_endpoints/{id}', named(given)),
      fields,
    }),
    secretCommand({
      name: 'create',
      summary: 'register an endpoint',
      options: [
        { ...urlOption, required: true },
        { ...eventOption, required: true },
        envOption,
        descriptionOption,
      ],
      examples: [
        'keyrail webhooks create --endpoint https://example.com/hook --event "api_key.*"',
        'keyrail webhooks create --endpoint https://example.com/hook --event "*" --env live',
      ],
      request: (client, given) =>
        client.call('POST /v1/webhook_endpoints', {
          body: {
            url: given.text('endpoint'),
            events: given.list('event') ?? [],
            env: envOf(given),
            description: given.maybe('description'),
          },
        }),
      ...created,
    }),
    changeCommand({
      name: 'update',
      summary: 'change an endpoint',
      args: [idArg],
      options: [
        urlOption,
        eventOption,
        { flags: '--env <env>', about: 'environment', choices: ['live', 'test', 'both'] },
        { ...descriptionOption, about: 'description, for your team; "" removes it' },
        { flags: '--disable', about: 'stop sending events' },
        { flags: '--enable', about: 'resume sending events' },
      ],
      examples: [
        'keyrail webhooks update 01890c5e-… --event api_key.revoked --event api_key.rotated',
        'keyrail webhooks update 01890c5e-… --enable',
      ],
      request: (client, given) => {
        const description = given.maybe('description');
        const body = requireChange({
          url: given.maybe('endpoint'),
          events: given.list('event'),
          env: newEnvOf(given),
          description: description === '' ? null : description,
          disabled: disabledOf(given),
        });
        return client.call('PATCH /v1/webhook_endpoints/{id}', { ...named(given), body });
      },
      fields,
    }),
    confirmedCommand({
      name: 'delete',
      summary: 'remove an endpoint and its queued events',
      args: [idArg],
      examples: ['keyrail webhooks delete 01890c5e-…'],
      question: (given) => `Remove endpoint ${given.id('id')}?`,
      request: (client, given) => client.call('DELETE /v1/webhook_endpoints/{id}', named(given)),
      message: ({ id }) => `Removed endpoint ${id}.`,
    }),
    secretCommand({
      name: 'rotate-secret',
      summary: "replace an endpoint's signing secret",
      args: [idArg],
      options: [
        {
          flags: '--overlap <span>',
          about: 'how long both secrets sign events: 0h to 7d (default: 24h)',
        },
      ],
      examples: ['keyrail webhooks rotate-secret 01890c5e-… --overlap 1h'],
      request: (client, given) =>
        client.call('POST /v1/webhook_endpoints/{id}/rotate_secret', {
          ...named(given),
          body: overlapOf(given),
        }),
      ...created,
    }),
    changeCommand({
      name: 'test',
      summary: 'send a test event and wait for its result',
      args: [idArg],
      examples: ['keyrail webhooks test 01890c5e-…'],
      request: (client, given) => client.call('POST /v1/webhook_endpoints/{id}/test', named(given)),
      fields: deliveryFields,
    }),
    listCommand({
      name: 'deliveries',
      summary: 'list the deliveries to an endpoint, newest first',
      args: [idArg],
      options: [{ flags: '--state <state>', about: 'only in this state', choices: states }],
      examples: ['keyrail webhooks deliveries 01890c5e-… --state failed'],
      pageMax: LIST_LIMIT_MAX,
      pages: (client, given, page) =>
        client.pages('GET /v1/webhook_endpoints/{id}/deliveries', {
          ...page,
          ...named(given),
          query: { ...page.query, state: given.maybeOneOf('state', states) },
        }),
      fields: deliveryFields,
      empty: 'No deliveries.',
    }),
    changeCommand({
      name: 'retry',
      summary: 'deliver an event again',
      args: [{ name: 'id', about: 'delivery ID, as shown by deliveries' }],
      examples: ['keyrail webhooks retry 5f3a9c1e-…'],
      request: (client, given) =>
        client.call('POST /v1/webhook_deliveries/{id}/retry', named(given)),
      fields: deliveryFields,
    }),
    webhookListen,
  ],
};
