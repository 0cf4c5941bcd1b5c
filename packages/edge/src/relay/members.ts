// Which secret keys belong to this Edge's workspace. A secret key never moves to a different
// workspace, so a successful check is cached, under the key's hash. The key may have been revoked
// since, so every request is sent with the node's own key, for the control plane to check.
import { parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { RelayClock } from './clock.ts';
import { createRecentAnswers } from './recent-answers.ts';
import { type Answer, hashOf, type Upstream } from './upstream.ts';

const KEYS_MAX = 10_000;
const CHECKS_MAX = 64;
const TIMEOUT_MS = 10_000;
/** How long a rejection is cached. A rejected key triggers at most one request in this time. */
const REFUSAL_MS = 1_000;
const SCHEME = 'bearer ';

type Members = {
  /**
   * Null if the key belongs to the workspace; otherwise the control plane's response, or the
   * relay's own reason for rejecting the key. Throws Unreachable.
   */
  refusal(credential: string): Promise<Answer | 'malformed' | 'busy' | null>;
};

/**
 * `projectId` is the project that this Edge serves. Only secret keys from its workspace can read
 * its policy.
 */
export function createMembers(
  upstream: Pick<Upstream, 'ask'>,
  projectId: string,
  clock: Pick<RelayClock, 'nowMs'>,
): Members {
  const known = new Set<string>();
  const refused = createRecentAnswers(clock, REFUSAL_MS);
  const checks = new Map<string, Promise<Answer | null>>();

  async function check(credential: string, name: string): Promise<Answer | null> {
    const answer = await upstream.ask({
      method: 'GET',
      target: `/v1/policy/snapshot?project_id=${projectId}`,
      // `*` matches any policy version, so the response to a valid key is a 304 without a body.
      headers: { authorization: credential, 'if-none-match': '*' },
      timeoutMs: TIMEOUT_MS,
      agent: false,
    });
    if (answer.status !== 304 && answer.status !== 200) {
      if (REFUSALS.has(answer.status)) refused.keep(name, answer);
      return answer;
    }
    if (known.size >= KEYS_MAX) known.clear();
    known.add(name);
    return null;
  }

  return {
    refusal(credential) {
      if (!isSecretKey(credential)) return Promise.resolve('malformed');
      const name = hashOf(credential);
      if (known.has(name)) return Promise.resolve(null);
      const before = refused.find(name);
      if (before) return Promise.resolve(before);
      const running = checks.get(name);
      if (running !== undefined) return running;
      if (checks.size >= CHECKS_MAX) return Promise.resolve('busy');
      const started = check(credential, name).finally(() => checks.delete(name));
      checks.set(name, started);
      return started;
    },
  };
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404]);

/** Checks the format and checksum. Only the control plane can tell whether the key was issued. */
const isSecretKey = (credential: string): boolean =>
  credential.slice(0, SCHEME.length).toLowerCase() === SCHEME &&
  parseCredential(credential.slice(SCHEME.length))?.kind === 'secret_key';
