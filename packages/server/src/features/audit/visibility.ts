// Which payload fields a test principal may read. The database decides by environment which rows
// it sees at all.

/** Target types whose payloads contain no personal data. */
const productTargets = new Set(['workspace', 'project', 'tenant', 'api_key', 'secret_key']);

/** Payload fields whose values count live keys too. */
const liveFields = ['revoked_keys'];

/**
 * Parses the payload of a row. For a test principal it is empty unless the target type is listed in
 * `productTargets`, so a new type is hidden until it is listed.
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
