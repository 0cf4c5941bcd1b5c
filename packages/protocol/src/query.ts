// Query parameters arrive as text and are parsed strictly: numbers can't be written `1e2` or
// `0x10`, an empty string isn't zero, `yes` isn't true, and nothing is clamped.
import { z } from 'zod';
import { text } from './text.ts';
import { parseTimestamp } from './timestamp.ts';
import { Cursor, Uuid } from './validators.ts';
import { feedIncludes } from './wire/feed-include.ts';
import {
  FIND_CHARS_MAX,
  IDS_MAX,
  IDS_MIN,
  POLICY_TENANTS_MAX,
  POLICY_TENANTS_MIN,
  SEARCH_CHARS_MAX,
  SEARCH_CHARS_MIN,
  SEARCH_EXAMINED_MAX,
  SEARCH_MATCHES_MAX,
  SEARCH_PART_CHARS_MIN,
  UNDERSTANDS_CHARS_MAX,
} from './wire/limits.ts';
import { searchTypes } from './wire/search-types.ts';
import { looksSecret } from './wire/secret-texts.ts';

const INCLUDE_PATTERN = `^(${feedIncludes.join('|')})(,(${feedIncludes.join('|')}))*$`;

const UNDERSTANDS_PATTERN = /^[a-z,]+$/;

type IntegerQuery = z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>;

/** Accepts a whole number from `min` to `max`, in decimal digits. Optional if it has a default. */
export function queryInteger(min: number, max: number): IntegerQuery;
export function queryInteger(
  min: number,
  max: number,
  fallback: number,
): z.ZodDefault<IntegerQuery>;
export function queryInteger(min: number, max: number, fallback?: number) {
  const jsonSchema = {
    type: 'integer',
    minimum: min,
    maximum: max,
    ...(fallback !== undefined && { default: fallback }),
  };
  const digits = new RegExp(`^[0-9]{1,${Math.max(10, String(max).length)}}$`);
  const integer = z.string().transform((value, ctx) => {
    const number = digits.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    ctx.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });
  if (fallback === undefined) return integer.meta({ jsonSchema });
  return integer.default(fallback).meta({ jsonSchema });
}

/** Accepts only `true` and `false`. */
export const queryBoolean = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .default(fallback)
    .meta({ jsonSchema: { type: 'boolean', default: fallback } });

/** A list of IDs, passed by repeating the parameter and always parsed to an array. */
const queryIds = (min: number, max: number) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .pipe(z.array(Uuid).min(min).max(max))
    .meta({
      jsonSchema: {
        type: 'array',
        items: { type: 'string', format: 'uuid' },
        minItems: min,
        maxItems: max,
      },
    });

export const TenantFilter = queryIds(POLICY_TENANTS_MIN, POLICY_TENANTS_MAX);

/**
 * Accepts all IDs from one page of a list, so that a client can look up related data in one
 * request.
 */
export const Ids = queryIds(IDS_MIN, IDS_MAX);

/** A filter for lists, for fetching objects whose IDs a client already has. */
export const byId = {
  id: Ids.optional().meta({
    description: `Only these, up to ${IDS_MAX}. Unknown IDs are left out.`,
  }),
};

/**
 * A time in a query. It is validated but not converted to a Date, because clients pass it as text.
 */
export const QueryTime = z
  .string()
  .refine((value) => parseTimestamp(value) !== null, {
    message: 'must be an ISO 8601 date-time with seconds and an offset or Z',
  })
  .meta({ format: 'date-time' });

/** Comma-separated names, parsed to an array without duplicates, in alphabetical order. */
export const FeedIncludes = z
  .string()
  .transform((value, ctx) => {
    const names = value.split(',');
    const known = feedIncludes.filter((name) => names.includes(name));
    if (new Set(names).size === known.length) return known;
    ctx.addIssue({ code: 'custom', message: `may only contain ${feedIncludes.join(' and ')}` });
    return z.NEVER;
  })
  .meta({
    jsonSchema: {
      type: 'string',
      pattern: INCLUDE_PATTERN,
      examples: ['meta', 'meta,external_id'],
    },
    description:
      "Adds fields to each entry: `meta` adds the key's `meta`, and `external_id` adds its " +
      "tenant's as `tenant_external_id`. Separate names with commas.",
  });

/**
 * Comma-separated feature names, whether known or not, parsed to an array without duplicates, in
 * alphabetical order.
 */
export const Understands = z
  .string()
  .regex(UNDERSTANDS_PATTERN, { message: 'must be lowercase words, separated by commas' })
  .max(UNDERSTANDS_CHARS_MAX)
  .transform((value) => [...new Set(value.split(','))].filter((word) => word !== '').toSorted())
  .meta({
    jsonSchema: {
      type: 'string',
      pattern: UNDERSTANDS_PATTERN.source,
      maxLength: UNDERSTANDS_CHARS_MAX,
    },
    description:
      'The features that the node can enforce, separated by commas. A key that requires any ' +
      'other feature is left out. Unknown words are ignored.',
  });

const TYPES_PATTERN = `^(${searchTypes.join('|')})(,(${searchTypes.join('|')}))*$`;

/**
 * The types to search for, separated by commas or passed by repeating the parameter; parsed in the
 * order of `searchTypes`.
 */
export const SearchTypes = z
  .union([z.string(), z.array(z.string())])
  .transform((value, ctx) => {
    const names = [value].flat().join().split(',');
    const known = searchTypes.filter((name) => names.includes(name));
    if (new Set(names).size === known.length) return known;
    ctx.addIssue({ code: 'custom', message: `may only contain ${searchTypes.join(', ')}` });
    return z.NEVER;
  })
  .meta({
    jsonSchema: { type: 'string', pattern: TYPES_PATTERN, examples: ['tenant', 'api_key,tenant'] },
    description: 'The types to find, separated by commas; by default, all of them.',
  });

/** The text of a workspace search. Leading and trailing spaces are ignored. */
export const SearchText = z
  .string()
  .refine((value) => !looksSecret(value), {
    abort: true,
    message: 'must not contain a full credential: check it with POST /v1/keys/explain instead',
  })
  .transform((value) => value.trim())
  .pipe(text(SEARCH_PART_CHARS_MIN, FIND_CHARS_MAX))
  .meta({
    jsonSchema: {
      type: 'string',
      minLength: SEARCH_PART_CHARS_MIN,
      maxLength: FIND_CHARS_MAX,
      examples: ['globex', 'kr_live_3hArfb'],
    },
    description:
      'Found anywhere in a field, ignoring case (A to Z) and spaces around it. Text that contains ' +
      'a full credential is rejected, because URLs are logged.',
  });

/**
 * For parameter descriptions: when a search also finds text in the middle of a field in older rows.
 */
export const OLDER_MATCHES =
  "with PostgreSQL's extension `pg_trgm`, also among older keys, tenants and projects, if the text " +
  `has ${SEARCH_PART_CHARS_MIN} letters (A to Z) or digits in a row and is not common`;

/** Creates a list's `q` parameter. A row matches if one of the `fields` contains the text. */
export const search = (fields: string) => ({
  q: text(SEARCH_CHARS_MIN, SEARCH_CHARS_MAX)
    .refine((value) => !looksSecret(value), {
      message: 'must not contain a full credential; search for its display prefix instead',
    })
    .optional()
    .meta({
      description:
        `Only lists rows whose ${fields} contains this text, ignoring case (A to Z). A text of ` +
        `fewer than ${SEARCH_PART_CHARS_MIN} characters has to be at the start; elsewhere, a text ` +
        `is found in the newest ${SEARCH_EXAMINED_MAX} rows; ${OLDER_MATCHES}. If there are more ` +
        `than ${SEARCH_MATCHES_MAX} matches, not all are listed: send a longer text. ` +
        'Text that contains a full credential is rejected, because URLs are logged.',
    }),
});

/** The paging parameters of every list. */
export const paging = (limitMax: number, limitDefault: number) => ({
  cursor: Cursor.optional().meta({
    description: 'An opaque position, from the `next` link of the previous page.',
  }),
  limit: queryInteger(1, limitMax, limitDefault),
});
