// Parses timestamps strictly. Date.parse alone accepts 30 February and 24:00, and reads a missing
// offset as local time. Any of these could make a key expire at a different time.

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns the instant, truncated to milliseconds; null unless the text is a strict ISO 8601
 * date-time.
 */
export function parseTimestamp(value: string): Date | null {
  const match = SHAPE.exec(value);
  if (!match) return null;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = match;
  const fraction = match[7] ?? '';
  const offset = match[8] ?? '';

  if (!isCalendarDay(Number(year), Number(month), Number(day))) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;

  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${offset}`);
  // An offset can move the instant into a year before 1 or after 9999.
  return at >= EARLIEST && at <= LATEST ? new Date(at) : null;
}

/** The format of every timestamp in a response. */
export const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
