import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { messageOf } from '../../errors.ts';
import { BusError, closedError } from '../bus-error.ts';

/** Codes of the JetStream API that are decided on. */
export const API = {
  noMessage: 10037,
  notEnabled: 10039,
  nameInUse: 10058,
  noStream: 10059,
  subjectsOverlap: 10065,
  wrongLastSequence: 10071,
  noCluster: 10074,
  wrongLastSequenceUnknown: 10164,
} as const;

export function apiCode(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}

/** The error and what caused it, outermost first. */
function chain(error: unknown): readonly unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...chain(error.cause)] : [error];
}

/** Whether nobody was there to receive it, which is certain. */
export function isUnheard(error: unknown): boolean {
  return chain(error).some((each) => each instanceof errors.NoRespondersError);
}

/** What a failure of the client means here. Whatever may pass is `BUS_UNREACHABLE`. */
export function toBusError(error: unknown, what: string): BusError {
  const all = chain(error);
  const known = all.find((each) => each instanceof BusError);
  if (known !== undefined) return known;
  for (const each of all) {
    if (each instanceof errors.ClosedConnectionError || each instanceof errors.DrainingConnectionError) {
      return closedError();
    }
    if (each instanceof errors.PermissionViolationError) {
      return new BusError(
        'BUS_RIGHTS',
        `the account of this process at the NATS server has no right to the ${each.operation} of "${each.subject}"`,
        { cause: error },
      );
    }
    if (each instanceof errors.AuthorizationError || each instanceof errors.UserAuthenticationExpiredError) {
      return new BusError('BUS_CREDENTIALS', 'the NATS server refuses the credentials of this process', {
        cause: error,
      });
    }
  }
  if (apiCode(error) === API.notEnabled) return noJetStreamError(error);
  const reason = messageOf(error);
  return new BusError('BUS_UNREACHABLE', `${what} failed: ${reason}`, { cause: error });
}

export function noJetStreamError(cause: unknown): BusError {
  return new BusError('BUS_NO_JETSTREAM', 'the NATS server keeps no streams: JetStream is not enabled', {
    cause,
  });
}
