// Loaded before a program, to shift its clock by SOAK_CLOCK_MS milliseconds.
const aheadMs = Number(process.env.SOAK_CLOCK_MS ?? 0);
const Real = Date;
const now = () => Real.now() + aheadMs;

globalThis.Date = class Shifted extends Real {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }

  static now() {
    return now();
  }
};
