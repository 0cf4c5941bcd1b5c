// Why a request to the policy feed failed, as reported in the log and by `state().failure`.
import type { Failure } from '../transport.ts';

/** The control plane rejected the request or was unreachable. */
export class Failed extends Error {
  override readonly name = 'Failed';
  readonly failure: Failure;

  constructor(failure: Failure, remedy: string | null = null) {
    super(remedy === null ? describe(failure) : `${describe(failure)}: ${remedy}`);
    this.failure = failure;
  }

  /** Determines how long to wait before the next attempt. */
  get terms(): { hard: boolean; retryAfterMs: number | null; isLimited: boolean } {
    const { failure } = this;
    if (failure.kind === 'unreachable')
      return { hard: false, retryAfterMs: null, isLimited: false };
    const { hard, retryAfterMs, status } = failure;
    return { hard, retryAfterMs, isLimited: status === 429 };
  }

  get isTooLarge(): boolean {
    return this.failure.kind === 'unreachable' && this.failure.reason === 'too_large';
  }
}

function describe(failure: Failure): string {
  if (failure.kind === 'unreachable') {
    const why = [failure.reason, failure.code].filter(Boolean).join(': ');
    return `the control plane is unreachable (${why})`;
  }
  return `the control plane responded with ${failure.status} ${failure.code ?? ''}`.trim();
}

type Asked = { bases: readonly string[]; projectId: string };

const API = '/v1';

/** Suggests a fix if a setting seems to be wrong; otherwise null. */
export function remedyOf(failure: Failure, { bases, projectId }: Asked): string | null {
  if (failure.kind === 'unreachable' || failure.status !== 404) return null;
  const wrong = bases.find((base) => base.endsWith(API));
  if (wrong !== undefined) {
    return `url must not end in ${API}, which the SDK adds; set url to ${wrong.slice(0, -API.length)}`;
  }
  if (failure.code === null) return 'this is not a Keyrail control plane; check url';
  return (
    `the workspace of this secret key has no project ${projectId}; set projectId to the ID of ` +
    'one of its projects, or use a secret key from the right workspace'
  );
}
