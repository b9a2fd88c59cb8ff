import type { LogLevel } from '../config/settings.ts';
import type { Logger } from '../service/logger.ts';
import { redact, redactText } from './redact.ts';

/** From the least severe one on. */
const LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const satisfies readonly LogLevel[];

/** One JSON object per line, with secrets taken out. */
export function createLog(level: LogLevel, destination: { write(line: string): unknown }): Logger {
  const least = LEVELS.indexOf(level);

  function method(label: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] {
    if (LEVELS.indexOf(label) < least) return () => undefined;
    return (first: object | string, message?: string) => {
      const fields = typeof first === 'string' ? {} : redact(first);
      const msg = redactText(typeof first === 'string' ? first : (message ?? ''));
      const record = { level: label, time: new Date(), ...fields, msg };
      destination.write(`${JSON.stringify(record, readable)}\n`);
    };
  }

  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
}

/** What JSON has no form for. */
function readable(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
