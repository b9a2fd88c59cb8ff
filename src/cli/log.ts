import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { redact, redactText } from './redact.ts';

/** One JSON object per line, with secrets taken out. */
export function createLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      // The formatter has written the error out already.
      serializers: { err: (error: unknown) => error },
      hooks: {
        logMethod(args, method) {
          const [first, ...rest] = args;
          // A text comes first alone or second after a record, which the formatter sees to.
          const texts = rest.map((arg: unknown) => (typeof arg === 'string' ? redactText(arg) : arg));
          Reflect.apply(method, this, [typeof first === 'string' ? redactText(first) : first, ...texts]);
        },
      },
    },
    destination,
  );
}
