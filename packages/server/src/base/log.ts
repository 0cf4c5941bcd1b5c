// One JSON line for each thing worth telling; readable lines on a terminal. Never a body, a
// header or a query value: what is not written cannot leak.
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Whether lines of this level go anywhere: then it is worth putting them together. */
export const isTold = (log: Log & Partial<Pick<Logger, 'isLevelEnabled'>>, level: LogLevel) =>
  log.isLevelEnabled?.(level) ?? true;

export const logLevels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function openLog(level: LogLevel, out: { isTTY?: boolean } & NodeJS.WritableStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: toldError },
  };
  return out.isTTY ? pino(options, readable(out)) : pino(options, out);
}

/** Of what an error carries besides its words: what names a fault and never a value. */
const TOLD = ['code', 'severity', 'constraint', 'table', 'routine', 'syscall', 'responseCode'];

/** A driver hangs on what it was given: the failing row, a command, an address. */
function toldError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const more = TOLD.filter((name) => name in error).map((name) => [name, Reflect.get(error, name)]);
  return { type, message, stack, ...Object.fromEntries(more) };
}

const colours: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

/** `12:00:03 info  listening url=http://…`, for eyes rather than for machines. */
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
