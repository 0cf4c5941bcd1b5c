// What a test principal may read of a row that it can see at all (which rows those are, the
// database decides by their environment).

/** Kinds of things whose rows tell about the product rather than about people. */
const productTargets = new Set(['workspace', 'project', 'tenant', 'api_key', 'secret_key']);

/** Fields of payloads that count live keys too. */
const liveFields = ['revoked_keys'];

/**
 * The payload of a row, as text in the database and as an object here. To a test principal it is
 * empty for people, and for every kind that is added later until it is listed here.
 */
export function visiblePayload(
  { targetType, payload }: { targetType: string; payload: string },
  isTest: boolean,
): Record<string, unknown> {
  if (isTest && !productTargets.has(targetType)) return {};
  const fields: Record<string, unknown> = JSON.parse(payload);
  if (!isTest) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !liveFields.includes(name)));
}
