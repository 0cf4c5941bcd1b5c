// The checks that explain whether a key is allowed, in the order in which a node runs them. The
// verdict and its reason match those of `decide` in the SDK; one table of cases tests both.
import type { CheckName, KeyCheck } from '@keyrail/protocol/objects/key-explanation.ts';
import type { DenialReason } from '@keyrail/protocol/wire/denials.ts';
import { isImportable } from '@keyrail/protocol/wire/imported-key.ts';
import { API_KEY_CHARS, apiKeyEnv } from '@keyrail/protocol/wire/key-format.ts';
import { POLICY_EXPIRED_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Env } from '../../doors/reach.ts';
import type { KeyRow } from './rows.ts';

/** What is known about a key and about the request it would be used for. */
type KeyFacts = {
  /** The full key; null if only the key's ID is known. */
  text: string | null;
  /** Null if no key within the caller's reach matches. */
  key: Judged | null;
  /**
   * Whether nodes have any imported keys. Only then does a node look up a string that isn't in
   * Keyrail's own key format.
   */
  holdsImported: boolean;
  /** The project that the request or the key specifies; null if neither specifies a project. */
  project: { id: string; isDeleted: boolean } | null;
  env: Env | undefined;
  scopes: readonly string[];
  at: Date;
};

type Judged = Pick<
  KeyRow,
  | ('projectId' | 'env' | 'scopes' | 'expiresAt' | 'retiredAt')
  | ('revokedAt' | 'revokedReason' | 'disabledAt' | 'disabledReason')
>;

/** A failed check has the reason that a node would give. */
type Outcome =
  | { outcome: 'pass' | 'skipped'; detail: string }
  | { outcome: 'fail'; detail: string; reason: DenialReason };

const pass = (detail: string): Outcome => ({ outcome: 'pass', detail });
const skip = (detail: string): Outcome => ({ outcome: 'skipped', detail });
const fail = (reason: DenialReason, detail: string): Outcome => ({
  outcome: 'fail',
  detail,
  reason,
});

const NOT_ASKED = 'Not checked, because an earlier check failed.';
const NO_TEXT = 'Not checked, because the key was given by its ID.';

type Verdict = { reason: DenialReason | null; checks: KeyCheck[] };

/** Runs the checks until one fails. */
export function checksOf(facts: KeyFacts): Verdict {
  let reason: DenialReason | null = null;
  const checks = asked.map(([check, ask]): KeyCheck => {
    const answer = reason === null ? ask(facts) : skip(NOT_ASKED);
    if (answer.outcome === 'fail') reason = answer.reason;
    return { check, outcome: answer.outcome, detail: answer.detail };
  });
  return { reason, checks };
}

const asked: readonly [CheckName, (facts: KeyFacts) => Outcome][] = [
  ['format', checkFormat],
  ['checksum', checkChecksum],
  ['known', checkKnown],
  ['project', checkProject],
  ['disabled', checkDisabled],
  ['revoked', checkRevoked],
  ['expired', checkExpired],
  ['environment', checkEnvironment],
  ['scopes', checkScopes],
];

const hasFormat = (text: string): boolean =>
  text.length === API_KEY_CHARS && /^kr_(?:live|test)_[\w-]+$/.test(text);

function checkFormat(facts: KeyFacts): Outcome {
  const { text } = facts;
  if (text === null) return skip(NO_TEXT);
  if (text === '') return fail('missing_key', 'The request has no key. Send one.');
  if (hasFormat(text)) return pass('This has the format of an API key.');
  if (mayBeImported(facts)) return pass('This may be an imported key.');
  return fail('malformed_key', adviceOn(text));
}

const mayBeImported = ({ text, holdsImported }: KeyFacts): boolean =>
  text !== null && holdsImported && isImportable(text);

/** Explains what is wrong with a malformed key, without repeating any part of it. */
function adviceOn(text: string): string {
  if (hasFormat(text.trim())) return 'Remove the spaces before or after the key.';
  if (/^krsk_/.test(text)) return 'This is one of your secret keys. Send an API key instead.';
  if (/^krses_/.test(text)) return 'This is a session token. Send an API key instead.';
  if (/^bearer /i.test(text)) return 'Remove "Bearer" and send only the key.';
  if (/^kr_(live|test)_/.test(text)) {
    return 'The key is incomplete or contains invalid characters. Copy all of it: 48 letters, digits, hyphens and underscores.';
  }
  return 'This is not an API key. API keys start with kr_live_ or kr_test_ and are 48 characters long.';
}

function checkChecksum(facts: KeyFacts): Outcome {
  const { text } = facts;
  if (text === null) return skip(NO_TEXT);
  if (mayBeImported(facts)) return skip('Not checked, because imported keys have no checksum.');
  return apiKeyEnv(text) === null
    ? fail('malformed_key', 'The key contains a typo. Copy it again.')
    : pass('The checksum at the end of the key is correct.');
}

function checkKnown({ key, project }: KeyFacts): Outcome {
  if (key !== null) return pass('The key belongs to this workspace.');
  if (project?.isDeleted) return skip('Not looked up, because the project has been deleted.');
  return fail(
    'unknown_key',
    'No such key exists here. Check that this is the right deployment, workspace and environment.',
  );
}

function checkProject({ key, project }: KeyFacts): Outcome {
  if (project?.isDeleted) {
    return fail('project_deleted', 'The project has been deleted. Use a key from another project.');
  }
  return key?.projectId === project?.id
    ? pass('The key belongs to this project.')
    : fail('unknown_key', 'The key belongs to another project. Use a key from this one.');
}

function checkDisabled({ key }: KeyFacts): Outcome {
  if (!key?.disabledAt) return pass('The key is not disabled.');
  const when = wireTime(key.disabledAt) + because(key.disabledReason);
  const advice = key.revokedAt
    ? 'It has also been revoked, so create a new one.'
    : 'Enable it to make it work again.';
  return fail('unknown_key', `The key was disabled on ${when}. ${advice}`);
}

function checkRevoked({ key }: KeyFacts): Outcome {
  if (!key?.revokedAt) return pass('The key is not revoked.');
  const when = wireTime(key.revokedAt) + because(key.revokedReason);
  return fail('unknown_key', `The key was revoked on ${when}. Create a new one.`);
}

const because = (reason: string | null): string =>
  reason === null ? '' : ` (reason: "${reason}")`;

/** Nodes drop keys that expired long ago, and then report them as unknown. */
function checkExpired({ key, at }: KeyFacts): Outcome {
  const expiresAt = key?.expiresAt ?? null;
  if (expiresAt === null) return pass('The key does not expire.');
  const when = wireTime(expiresAt);
  if (key?.retiredAt) {
    const forgotten = `more than ${POLICY_EXPIRED_KEPT_DAYS} days ago, so nodes no longer have it`;
    return fail('unknown_key', `The key expired on ${when}, ${forgotten}. Create a new one.`);
  }
  return expiresAt <= at
    ? fail('expired', `The key expired on ${when}. Extend its expiry, or create a new key.`)
    : pass(`The key expires on ${when}.`);
}

function checkEnvironment({ key, env }: KeyFacts): Outcome {
  if (env === undefined) return skip('Not checked, because no environment is required.');
  return key?.env === env
    ? pass(`The key is for ${env}.`)
    : fail('wrong_environment', `The route requires ${env}. Use a ${env} key.`);
}

function checkScopes({ key, scopes }: KeyFacts): Outcome {
  if (scopes.length === 0) return skip('Not checked, because no scope is required.');
  const missing = scopes.filter((scope) => !key?.scopes.includes(scope));
  return missing.length === 0
    ? pass('The key has all required scopes.')
    : fail('insufficient_scope', `The key is missing scopes. Add: ${missing.join(', ')}.`);
}
