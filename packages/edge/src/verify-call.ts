// `POST /v1/verify`, for processes in any language on the same machine.
import type { IncomingMessage } from 'node:http';
import type {
  Admission,
  Admitting,
  IncomingCall,
  Keyrail,
  OpenContext,
  RouteOptions,
} from '@keyrail/sdk';
import { createRemembered, type Defaults, requirementOf, type Wanted } from './requirements.ts';
import { createScopeTexts } from './scope-texts.ts';

const BODY_BYTES_MAX = 65_536;

export type Verified = {
  allowed: boolean;
  /** Why the key is denied; null if it is allowed. */
  reason: string | null;
  /** The status and headers that the caller's response should have. */
  status: number;
  context: OpenContext;
  headers: Readonly<Record<string, string>>;
};

/** The parts of an SDK node that Edge uses. */
export type EdgeNode = Pick<Keyrail, 'admit'> & {
  verify(
    key: string | null,
    route: RouteOptions,
  ): { allowed: true } | { allowed: false; reason: string };
};

type Question = { key: string | null; route: RouteOptions };

/**
 * Reads the body, and passes null if it is too large or cut off. Takes a callback instead of
 * returning a promise, since most calls involve no other promise.
 */
export function readBody(request: IncomingMessage, then: (body: Buffer | null) => void): void {
  let body: Buffer | null = null;
  let isOver = false;
  const end = (read: Buffer | null): void => {
    if (!isOver) then(read);
    isOver = true;
  };
  request.on('data', (part: Buffer) => {
    body = body ? Buffer.concat([body, part]) : part;
    if (body.length > BODY_BYTES_MAX) end(null);
  });
  request.on('end', () => end(body ?? NOTHING));
  // `error` is also emitted when the connection is lost.
  request.on('error', () => end(null));
}

const NOTHING = Buffer.alloc(0);

/** Returns a function that parses a request body, or describes what is wrong with it. */
export function createQuestions(defaults: Defaults): (body: Buffer) => Question | string {
  const requirements = createRemembered((wanted: Wanted) => requirementOf(wanted, defaults));
  return (body) => {
    const given = objectIn(body);
    if (!given) return 'The body must be a JSON object.';
    for (const name in given) {
      if (!FIELDS.has(name)) return `The body has an unknown field: ${name}.`;
    }
    const { key = null, scopes, env, cost, route } = given;
    if (key !== null && typeof key !== 'string') return 'key must be a string or null.';
    if (scopes !== undefined && !isTexts(scopes)) return 'scopes must be a list of strings.';
    if (cost !== undefined && typeof cost !== 'number') return 'cost must be a number.';
    if (!isTextOrAbsent(env) || !isTextOrAbsent(route)) return 'env and route must be strings.';
    const wanted = { scopes, env, route, cost: cost === undefined ? undefined : String(cost) };
    const requirement = requirements(JSON.stringify(wanted), wanted);
    return 'fault' in requirement ? `${requirement.fault}.` : { key, route: requirement.route };
  };
}

const FIELDS = new Set(['key', 'scopes', 'env', 'cost', 'route']);

class VerifyCall implements IncomingCall {
  readonly method = 'POST';
  readonly path = '/v1/verify';
  readonly key: string | null;

  constructor(key: string | null) {
    this.key = key;
  }

  header(): null {
    return null;
  }
}

/** Returns a promise only if the result depends on a request to the control plane. */
export function answerTo(keyrail: EdgeNode, question: Question): Verified | PromiseLike<Verified> {
  const { key, route } = question;
  const admitting: Admitting<OpenContext> = keyrail.admit(new VerifyCall(key), route);
  return 'kind' in admitting
    ? answerOf(keyrail, question, admitting)
    : admitting.then((admission) => answerOf(keyrail, question, admission));
}

function answerOf(
  keyrail: EdgeNode,
  { key, route }: Question,
  admission: Admission<OpenContext>,
): Verified {
  if (admission.kind === 'admitted') {
    admission.settle({ status: 200 });
    const { context, headers } = admission;
    return { allowed: true, reason: null, status: 200, context, headers };
  }
  const { status, headers, body } = admission;
  const decision = keyrail.verify(key, route);
  const reason = decision.allowed ? codeIn(body) : decision.reason;
  return { allowed: false, reason, status, context: null, headers };
}

/**
 * Builds the response body by hand, because JSON.stringify of the whole object took a third of the
 * time Edge itself spends on a call (`npm run bench -- edge`).
 */
export const verifiedText = ({ allowed, reason, status, context, headers }: Verified): string =>
  `{"allowed":${allowed},"reason":${JSON.stringify(reason)},"status":${status},"context":${
    context ? contextText(context) : 'null'
  },"headers":${JSON.stringify(headers)}}`;

type KeyContext = Exclude<OpenContext, null>;

const contextText = (context: KeyContext): string =>
  `{"key_id":${idText(context.keyId)},"workspace_id":${idText(
    context.workspaceId,
  )},"project_id":${JSON.stringify(context.projectId)},"tenant_id":${idText(
    context.tenantId,
  )},"tenant_external_id":${JSON.stringify(context.tenantExternalId ?? null)},"env":"${
    context.env
  }","scopes":${scopeTexts.of(context.scopes)},"display_prefix":${JSON.stringify(
    context.displayPrefix,
  )},"expires_at":${
    context.expiresAt === null ? 'null' : `"${new Date(context.expiresAt).toISOString()}"`
  },"verified":${context.verified},"degraded":${context.degraded},"rate_limit":${JSON.stringify(
    context.rateLimit,
  )}}`;

/** IDs in the policy are UUIDs, so they need no escaping. */
const idText = (id: string | null): string => (id === null ? 'null' : `"${id}"`);

const scopeTexts = createScopeTexts((scopes) => JSON.stringify([...scopes]));

function codeIn(body: Uint8Array | string): string {
  const { error } = JSON.parse(String(body));
  return String(error.code);
}

function objectIn(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';
