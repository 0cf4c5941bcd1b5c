// Checks a route's options when the route is declared. A misspelt `scopes` would leave the route
// unprotected, so it throws at startup and not during a request.
import type { RouteOptions } from '../api/route.ts';
import { READY_WAIT_MS_MAX } from './ready-wait.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isWait: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= READY_WAIT_MS_MAX;
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const objectOf =
  (checks: Record<string, Check>): Check =>
  (value) =>
    typeof value === 'object' && value !== null && faultIn(value, checks) === null;
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

const choice = oneOf('allow', 'deny');

const checks: Record<keyof RouteOptions, Check> = {
  scopes: (value) => Array.isArray(value) && value.every(isText),
  env: oneOf('live', 'test'),
  onNoPolicy: choice,
  readyWaitMs: isWait,
  rateLimit: either(
    oneOf(false),
    objectOf({ cost: isNumber, onUnavailable: choice, leases: isFlag }),
  ),
  idempotency: either(
    isFlag,
    objectOf({ required: isFlag, ttlMs: isNumber, onUnavailable: choice }),
  ),
  skip: isFlag,
  name: isText,
};

/** Returns the options unchanged, or throws a TypeError that names the invalid one. */
export function checkRoute(route: RouteOptions): RouteOptions {
  const fault = typeof route === 'object' && route !== null ? faultIn(route, checks) : 'options';
  if (fault === null) return route;
  throw new TypeError(`protect(): unknown or invalid option "${fault}"`);
}

/** The name of the first option that is unknown or has a wrong type. */
function faultIn(options: object, known: Record<string, Check>): string | null {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name) || !known[name]?.(value)) return name;
  }
  return null;
}
