// I17, I18, I22, I23 and I25: revoked credentials, separation of workspaces and environments,
// recovery.
import { type Check, Findings, isOk, opsOf, textOf } from '../history.ts';

/**
 * How long the idempotency, rate-limit and telemetry endpoints may cache a secret key, plus some
 * time for scheduling.
 */
const HOT_MS = 5_250;
export const RECOVERED_MS_MAX = 15_000;

export const I17: Check = (history) => {
  const found = new Findings();
  const ends = opsOf(history, 'tenant.end_embed', 'tenant.delete').filter(isOk);
  for (const use of opsOf(history, 'embed.use')) {
    const ended = ends.find(
      ({ args, body, t1 }) =>
        args.id === use.args.tenant &&
        t1 < use.t0 &&
        (body.deleted === true || Number(body.embed_epoch) > Number(use.args.epoch)),
    );
    if (!ended) continue;
    found.expect(!isOk(use), () => `an embed token of ${use.args.tenant} outlived its revocation`);
  }
  return found;
};

export const I18: Check = (history) => {
  const found = new Findings();
  const ends = new Map(
    opsOf(history, 'secret.revoke')
      .filter(isOk)
      .map(({ args, t1 }) => [args.id, t1]),
  );
  for (const use of opsOf(history, 'secret.use')) {
    const end = ends.get(use.args.id ?? '');
    if (end === undefined || use.t0 <= end + (use.args.hot ? HOT_MS : 0)) continue;
    found.expect(
      !isOk(use),
      () => `the secret key ${use.args.id} was accepted after its revocation`,
    );
  }
  return found;
};

export const I22: Check = (history) => {
  const found = new Findings();
  for (const { args, status, body, outcome } of opsOf(history, 'stranger.read')) {
    if (outcome === 'unknown') continue;
    const text = JSON.stringify(body);
    found.expect(
      !text.includes(String(args.canary)),
      () => `${args.path} shows another workspace's data`,
    );
    const isMissing = args.isList === true || status === 404 || status === 503;
    found.expect(isMissing, () => `${args.path} of another workspace returned ${status}`);
  }
  return found;
};

export const I23: Check = (history) => {
  const found = new Findings();
  for (const { args, outcome, status } of opsOf(history, 'test.write')) {
    if (outcome === 'unknown') continue;
    found.expect(outcome === 'fail', () => `a test key managed to ${args.what}: ${status}`);
  }
  const test = new Set(
    history.keys.filter(({ env }) => env === 'test').map(({ id }) => String(id)),
  );
  for (const row of history.audit.filter(({ actor_id }) => actor_id === history.testKeyId)) {
    found.expect(
      test.has(textOf(row, 'target_id')),
      () => `a test key wrote ${textOf(row, 'action')} of ${textOf(row, 'target_id')}`,
    );
  }
  return found;
};

export const I25: Check = ({ recoveries }) => {
  const found = new Findings();
  for (const { what, ms } of recoveries) {
    found.expect(ms !== null && ms <= RECOVERED_MS_MAX, () =>
      ms === null ? `${what}: no recovery` : `${what}: recovered after ${Math.round(ms)} ms`,
    );
  }
  return found;
};
