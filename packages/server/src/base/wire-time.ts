// An instant as it always goes out: UTC, milliseconds, Z.

export const wireTime = (moment: Date): string => moment.toISOString();

export const wireTimeOrNull = (moment: Date | null): string | null =>
  moment ? wireTime(moment) : null;
