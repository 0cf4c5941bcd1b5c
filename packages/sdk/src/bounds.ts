// Clamps numeric options to their bounds and finds unknown option names, each with a warning.

export type Bounds = { min: number; max: number; usual: number };
export type Warn = (message: string) => void;

export function clampedAll<K extends string>(
  bounds: Record<K, Bounds>,
  options: object,
  warn: Warn,
): Record<K, number> {
  const entries = Object.entries<Bounds>(bounds).map(([name, { min, max, usual }]) => {
    const given: unknown = Reflect.get(options, name);
    if (given === undefined) return [name, usual];
    if (typeof given !== 'number' || Number.isNaN(given)) {
      warn(`${name} is not a number; ${usual} is used`);
      return [name, usual];
    }
    // Only `sampleRate` may have a fraction; all other numbers are counts.
    const whole = max > 1 ? Math.floor(given) : given;
    const used = Math.min(max, Math.max(min, whole));
    if (used !== given) warn(`${name} is ${given}; ${used} is used`);
    return [name, used];
  });
  return Object.fromEntries(entries);
}

export function warnOfUnknown(options: object, known: ReadonlySet<string>, warn: Warn): void {
  for (const name of Object.keys(options)) {
    if (!known.has(name)) warn(`unknown option ${name}; it is ignored`);
  }
}
