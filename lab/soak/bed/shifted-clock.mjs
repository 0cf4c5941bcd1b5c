// Loaded before a program: its clock differs from the machine's by SOAK_CLOCK_MS milliseconds.
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
