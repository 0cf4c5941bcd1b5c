// Writes log lines as JSON, or as readable text on a terminal. Bodies, headers and query values
// are never logged, so that secrets cannot leak through the log.
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { LogFields } from './tracing.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Whether lines of this level are written. If not, callers can skip building their fields. */
export const isLevelEnabled = (
  log: Log & Partial<Pick<Logger, 'isLevelEnabled'>>,
  level: LogLevel,
) => log.isLevelEnabled?.(level) ?? true;

export const logLevels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** The fields that `fieldsOf` returns are added to every line. */
export function openLog(
  level: LogLevel,
  out: { isTTY?: boolean } & NodeJS.WritableStream,
  fieldsOf?: () => LogFields,
): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: loggedError },
    ...(fieldsOf && { mixin: fieldsOf }),
  };
  return out.isTTY ? pino(options, readable(out)) : pino(options, out);
}

/** Fields that identify an error and never contain a caller's values. */
const LOGGED = ['code', 'severity', 'constraint', 'table', 'routine', 'syscall', 'responseCode'];

/**
 * Drops all other fields, because drivers attach failing rows, commands and addresses to their
 * errors.
 */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const names = LOGGED.filter((name) => name in error);
  const more = names.map((name) => [name, Reflect.get(error, name)]);
  return { type, message, stack, ...Object.fromEntries(more) };
}

const colours: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

/** Formats lines for a terminal: `12:00:03 info  listening url=http://…`. */
function readable(out: NodeJS.WritableStream): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      out.write(`${readableLine(chunk.toString())}\n`);
      done();
    },
  });
}

export function readableLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line);
  const fields = Object.entries(rest).map(([name, value]) => {
    if (name === 'error') return `\n  ${stackOf(value)}`;
    return `\u001b[90m${name}=\u001b[39m${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const label = `\u001b[${colours[level] ?? 39}m${String(level).padEnd(5)}\u001b[39m`;
  return [String(time).slice(11, 19), label, msg ?? '', ...fields].join(' ');
}

const stackOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'stack' in error
    ? String(error.stack)
    : JSON.stringify(error);
