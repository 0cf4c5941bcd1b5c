// Checks a route's options when the route is declared. A misspelt `scopes` would leave the route
// unprotected, so the check throws at startup instead of during a request.
import { nearestName } from '@keyrail/protocol/wire/nearest-name.ts';
import type { RouteIdempotency, RouteOptions, RouteRateLimit } from '../api/route.ts';
import { fieldsOf } from '../json.ts';
import { READY_WAIT_MS_MAX } from './ready-wait.ts';

/** A check on a value, and the words that follow "must be" in the error message. */
type Rule = { holds(value: unknown): boolean; says: string };
type Rules = Readonly<Record<string, Rule>>;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const flag: Rule = { holds: (value) => typeof value === 'boolean', says: 'true or false' };
const number: Rule = {
  holds: (value) => typeof value === 'number' && Number.isFinite(value),
  says: 'a number',
};
const oneOf = (one: string, other: string): Rule => ({
  holds: (value) => value === one || value === other,
  says: `'${one}' or '${other}'`,
});
const choice = oneOf('allow', 'deny');
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const rateLimit: Record<keyof RouteRateLimit, Rule> = {
  cost: number,
  onUnavailable: choice,
  leases: flag,
};
const idempotency: Record<keyof RouteIdempotency, Rule> = {
  required: flag,
  ttlMs: number,
  onUnavailable: choice,
};
const namesOf = (rules: Rules): string => Object.keys(rules).join(', ');

const rules: Record<keyof RouteOptions, Rule> = {
  scopes: {
    holds: (value) => Array.isArray(value) && value.every(isText),
    says: "a list of scopes, as in ['invoices:read']",
  },
  env: oneOf('live', 'test'),
  onNoPolicy: choice,
  readyWaitMs: {
    holds: (value) => typeof value === 'number' && value >= 0 && value <= READY_WAIT_MS_MAX,
    says: `a number from 0 to ${READY_WAIT_MS_MAX}`,
  },
  rateLimit: {
    holds: (value) => value === false || isObject(value),
    says: `false or an object with ${namesOf(rateLimit)}`,
  },
  idempotency: {
    holds: (value) => typeof value === 'boolean' || isObject(value),
    says: `true, false or an object with ${namesOf(idempotency)}`,
  },
  skip: flag,
  name: { holds: isText, says: "a string, as in '/invoices/:id'" },
};

/** Returns the options unchanged, or throws a TypeError that lists what is valid. */
export function checkRoute(route: RouteOptions): RouteOptions {
  const fault = isObject(route) ? faultIn(route) : 'the options must be an object';
  if (fault === null) return route;
  throw new TypeError(`protect(): ${fault}`);
}

const faultIn = (route: RouteOptions): string | null =>
  faultOf(route, rules) ??
  faultOf(fieldsOf(route.rateLimit), rateLimit, 'rateLimit.') ??
  faultOf(fieldsOf(route.idempotency), idempotency, 'idempotency.');

/** Describes the first option that is unknown or has an invalid value. */
function faultOf(options: object, known: Rules, path = ''): string | null {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!rule) return unknownOption(name, known, path);
    if (!rule.holds(value)) return `the option "${path}${name}" must be ${rule.says}`;
  }
  return null;
}

function unknownOption(name: string, known: Rules, path: string): string {
  const nearest = nearestName(name, Object.keys(known));
  const likely = nearest === null ? '' : ` (did you mean "${path}${nearest}"?)`;
  return `unknown option "${path}${name}"${likely}; the valid options are ${namesOf(known)}`;
}
