/** Fields and a sentence, or a sentence alone. */
interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/** What the service tells its operator. Loggers with more methods fit too. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}
