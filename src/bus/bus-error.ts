import { ServiceError } from '../errors.ts';

/** Why something of the bus failed. Callers decide on these; the README of this room lists them. */
export type BusErrorCode =
  | 'BUS_ADDRESS'
  | 'BUS_BEHIND_TAIL'
  | 'BUS_CLOSED'
  | 'BUS_COMMAND_FAILED'
  | 'BUS_CREDENTIALS'
  | 'BUS_DAMAGED'
  | 'BUS_EMPTY'
  | 'BUS_FENCED'
  | 'BUS_LAYOUT'
  | 'BUS_NO_ANSWER'
  | 'BUS_NO_JETSTREAM'
  | 'BUS_OTHER_CLUSTER'
  | 'BUS_REPLICAS'
  | 'BUS_RIGHTS'
  | 'BUS_SERVER_OLD'
  | 'BUS_TAIL_LOST'
  | 'BUS_UNREACHABLE';

/** A failure of the bus. */
export class BusError extends ServiceError {
  declare readonly code: BusErrorCode;

  constructor(code: BusErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** Whether it failed for now, with the outcome unknown: what was asked may have been done. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof BusError && error.code === 'BUS_UNREACHABLE';
}

export function closedError(): BusError {
  return new BusError('BUS_CLOSED', 'the bus is closed');
}
