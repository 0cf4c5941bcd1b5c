// What a request requires, as the operator wrote it in the proxy's configuration:
// `scopes=invoices:read,invoices:write&env=live&cost=2&route=/invoices/:id`.
import { RATE_LIMIT_COST_MAX, SCOPES_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { RouteOptions } from '@keyrail/sdk';

/** A fault is a mistake in the configuration. Requests are rejected until it is fixed. */
export type Requirement = { route: RouteOptions } | { fault: string };

/** Defaults for the whole process, which a query cannot override. */
export type Defaults = {
  onNoPolicy: 'deny' | 'allow';
  onLimitsUnreachable: 'deny' | 'allow';
};

export type Wanted = {
  scopes?: readonly string[] | undefined;
  env?: string | undefined;
  cost?: string | undefined;
  route?: string | undefined;
};

const QUERIES_MAX = 1000;
/** Longer queries are parsed every time, so that the cache stays small. */
const QUERY_CHARS_MAX = 2000;
const ROUTE_CHARS_MAX = 200;

/** Returns a function that parses each distinct query only once. */
export function createRequirements(defaults: Defaults): (query: string) => Requirement {
  const requirements = createRemembered((query: string): Requirement => {
    const wanted = wantedIn(query);
    return typeof wanted === 'string' ? { fault: wanted } : requirementOf(wanted, defaults);
  });
  return (query) => requirements(query, query);
}

/** Parses each distinct query only once. If there are too many of them, the cache is cleared. */
export function createRemembered<T>(
  parse: (source: T) => Requirement,
): (text: string, source: T) => Requirement {
  const known = new Map<string, Requirement>();
  return (text, source) => {
    const before = known.get(text);
    if (before) return before;
    const parsed = parse(source);
    if (text.length > QUERY_CHARS_MAX) return parsed;
    if (known.size >= QUERIES_MAX) known.clear();
    known.set(text, parsed);
    return parsed;
  };
}

/** Checks the requirements sent by a proxy or by a caller of `POST /v1/verify`. */
export function requirementOf(wanted: Wanted, defaults: Defaults): Requirement {
  const { scopes = [], env, cost = '1', route } = wanted;
  if (scopes.length > SCOPES_MAX) return { fault: `at most ${SCOPES_MAX} scopes are allowed` };
  if (env !== undefined && env !== 'live' && env !== 'test') {
    return { fault: 'env must be live or test' };
  }
  if (!/^\d{1,4}$/.test(cost) || Number(cost) > RATE_LIMIT_COST_MAX) {
    return { fault: `cost must be 0 to ${RATE_LIMIT_COST_MAX}` };
  }
  if (route !== undefined && (route === '' || route.length > ROUTE_CHARS_MAX)) {
    return { fault: `route must have 1 to ${ROUTE_CHARS_MAX} characters` };
  }
  const { onNoPolicy, onLimitsUnreachable } = defaults;
  const rateLimit = { cost: Number(cost), onUnavailable: onLimitsUnreachable };
  return { route: { scopes, env, name: route, onNoPolicy, rateLimit } };
}

const names = ['scopes', 'env', 'cost', 'route'] as const;

/** Returns a query's parameters, or a description of what is wrong with it. */
function wantedIn(query: string): Wanted | string {
  const texts = new Map<string, string>();
  for (const part of query.split('&').filter((text) => text !== '')) {
    const at = part.indexOf('=');
    const name = names.find((one) => one === part.slice(0, Math.max(at, 0)));
    if (name === undefined) return `only ${names.join(', ')} are allowed, each with a value`;
    if (texts.has(name)) return `${name} appears twice`;
    texts.set(name, part.slice(at + 1));
  }
  // An empty scope is most likely a mistake, because routes without scopes can omit the parameter.
  if (texts.get('scopes')?.split(',').includes('')) return 'a scope is empty';
  try {
    const text = (name: string) => {
      const value = texts.get(name);
      return value === undefined ? undefined : decoded(value);
    };
    return {
      // A comma within a scope is written as %2C.
      scopes: texts.get('scopes')?.split(',').map(decoded),
      env: text('env'),
      cost: text('cost'),
      route: text('route'),
    };
  } catch {
    return 'a value is not URL-encoded correctly';
  }
}

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
