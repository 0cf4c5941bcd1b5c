// Caches parsed inputs that repeat. Until the policy changes, all of a project's nodes send the
// same query with every poll. A node also sends the same body with every rate-limit check for a
// key. Checking such an input against its schema accounts for a tenth of a request's work (`npm run
// bench -- policy ratelimit`).

export const INPUTS_KEPT_MAX = 1000;
/** Longer inputs, which list many tenants or limits, are rare. */
export const CHARS_KEPT_MAX = 1000;

/** Returns the parsed form of `raw`, which `text` identifies. */
export type ParseInput<Raw> = (text: string, raw: Raw) => unknown;

/** Parses an input unless a recent request had the same text. */
export function createInputMemory<Raw>(parse: (raw: Raw) => unknown): ParseInput<Raw> {
  const known = new Map<string, unknown>();
  return (text, raw) => {
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    const input = frozen(parse(raw));
    if (text.length > CHARS_KEPT_MAX) return input;
    if (known.size >= INPUTS_KEPT_MAX) known.clear();
    known.set(text, input);
    return input;
  };
}

/** Frozen, because several requests share the parsed input. */
function frozen(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  for (const value of Object.values(input)) frozen(value);
  return Object.freeze(input);
}
