// The doctor's findings, and how to fix them.

/** `skipped`: couldn't be checked, for a reason that isn't a fault in itself. */
export type Severity = 'ok' | 'skipped' | 'warning' | 'error';

export type Outcome = {
  severity: Severity;
  message: string;
  /** Null if there is nothing to do. */
  remedy: string | null;
};

export type Finding = Outcome & { check: string };

export const fine = (message: string): Outcome => ({ severity: 'ok', message, remedy: null });

export const skipped = (message: string): Outcome => ({
  severity: 'skipped',
  message,
  remedy: null,
});

export const warning = (message: string, remedy: string): Outcome => ({
  severity: 'warning',
  message,
  remedy,
});

export const fault = (message: string, remedy: string): Outcome => ({
  severity: 'error',
  message,
  remedy,
});

/** Returns the findings; if there are none, a single one that says nothing is wrong. */
export const orFine = (found: readonly Outcome[], message: string): Outcome[] =>
  found.length > 0 ? [...found] : [fine(message)];

const LISTED_MAX = 10;

/** Writes out the first few items of a list, and how many more there are. */
export function listed(items: readonly string[], separator = ', '): string {
  const more = items.length - LISTED_MAX;
  const shown = items.slice(0, LISTED_MAX).join(separator);
  return more > 0 ? `${shown}${separator}and ${more} more` : shown;
}
