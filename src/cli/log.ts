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
      // The formatter has already turned the error into a record.
      serializers: { err: (error: unknown) => error },
      hooks: {
        logMethod(args, method) {
          const [first, ...rest] = args;
          // A text comes alone, or after a record, which the formatter redacts.
          const texts = rest.map((arg: unknown) => (typeof arg === 'string' ? redactText(arg) : arg));
          Reflect.apply(method, this, [typeof first === 'string' ? redactText(first) : first, ...texts]);
        },
      },
    },
    destination,
  );
}
