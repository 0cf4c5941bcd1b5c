// What a test principal may read of a row that it can see at all (which rows those are, the
// database decides by their environment).

/** Kinds of things whose rows tell about the product rather than about people. */
const productTargets = new Set(['workspace', 'project', 'tenant', 'api_key', 'secret_key']);

/** Withheld for people, and for every kind that is added later until it is listed here. */
export const isPayloadShown = (targetType: string, isTest: boolean): boolean =>
  !isTest || productTargets.has(targetType);
