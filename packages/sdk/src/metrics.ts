// A node's metrics. Deciding is the hot path, so decisions are counted in plain numbers.
import { metricText, type Sample, valueText } from '@keyrail/protocol/wire/metrics-text.ts';
import type { DenialReason } from './api/decision.ts';
import type { KeyrailState } from './api/keyrail.ts';
import type { Outcome, Transport } from './transport.ts';
import { SDK } from './version.ts';

type DecisionOutcome = 'allowed' | DenialReason;

const noDenials = (): Record<DenialReason, number> => ({
  missing_key: 0,
  malformed_key: 0,
  unknown_key: 0,
  expired: 0,
  wrong_environment: 0,
  insufficient_scope: 0,
  rate_limited: 0,
  policy_unavailable: 0,
  project_deleted: 0,
});

type Purpose = 'feed' | 'limits' | 'idempotency' | 'telemetry';

type Answers = Record<Outcome['kind'], number>;

const noAnswers = (): Answers => ({ answer: 0, refused: 0, unreachable: 0 });

/** `unproven`: feed responses rejected because they could not be verified. */
type Observed = { nowMs: number; unproven: number };

export type NodeTally = {
  decided(outcome: DecisionOutcome): void;
  counting(transport: Transport): Transport;
  text(state: KeyrailState, observed: Observed): string;
};

export function createNodeTally(): NodeTally {
  const denials = noDenials();
  let allowed = 0;
  const requests: Record<Purpose, Answers> = {
    feed: noAnswers(),
    limits: noAnswers(),
    idempotency: noAnswers(),
    telemetry: noAnswers(),
  };
  return {
    decided: (outcome) => {
      if (outcome === 'allowed') allowed += 1;
      else denials[outcome] += 1;
    },
    counting: (transport) => ({
      async send(exchange) {
        const outcome = await transport.send(exchange);
        requests[purposeOf(exchange.path)][outcome.kind] += 1;
        return outcome;
      },
    }),
    text: (state, observed) =>
      [
        metricText(
          'keyrail_node_decisions_total',
          'Key decisions by outcome.',
          Object.entries({ allowed, ...denials }).map(([outcome, count]) => [{ outcome }, count]),
        ),
        metricText(
          'keyrail_node_requests_total',
          'Requests to the control plane.',
          Object.entries(requests).flatMap(([purpose, answers]) =>
            Object.entries(answers).map(
              ([outcome, count]): Sample => [{ purpose, outcome }, count],
            ),
          ),
        ),
        ...stateTexts(state, observed),
      ].join(''),
  };
}

function purposeOf(path: string): Purpose {
  if (/^\/(v1\/policy|\.well-known)\//.test(path)) return 'feed';
  if (path.startsWith('/v1/ratelimit')) return 'limits';
  return path.startsWith('/v1/idempotency') ? 'idempotency' : 'telemetry';
}

function stateTexts(state: KeyrailState, { nowMs, unproven }: Observed): string[] {
  const { version, lastSyncAt, telemetry, keys, degraded, nodeId } = state;
  const figure = (name: string, help: string, value: number | null): string =>
    valueText(`keyrail_node_${name}`, help, value);
  const ageSeconds = lastSyncAt === null ? null : Math.max(0, nowMs - lastSyncAt) / 1000;
  return [
    metricText('keyrail_node_info', 'Always 1; the labels identify the node and the SDK.', [
      [{ node: nodeId, version: SDK.version }, 1],
    ]),
    figure('policy_version', 'Policy version in force; absent if there is none.', version),
    figure(
      'policy_age_seconds',
      'Seconds since the request that last confirmed the policy.',
      ageSeconds,
    ),
    figure('policy_keys', 'Keys in the policy.', keys),
    figure('degraded', '1 if the policy is missing, stale or incomplete.', Number(degraded)),
    figure('feed_unproven_total', 'Feed responses rejected because of their signature.', unproven),
    figure('telemetry_queued', 'Events waiting to be sent.', telemetry.queued),
    figure('telemetry_sent_total', 'Events sent.', telemetry.sent),
    figure('telemetry_dropped_total', 'Events lost.', telemetry.dropped),
  ];
}
