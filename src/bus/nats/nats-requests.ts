import type { NatsConnection } from '@nats-io/transport-node';
import { BusError } from '../bus-error.ts';
import type { Requests } from '../transport.ts';
import { isUnheard, toBusError } from './failures.ts';

/** No stream holds subjects under this and `command`. */
const SUBJECTS = 'tallywire.';

export function createNatsRequests(
  connection: NatsConnection,
  requireConnection: () => void,
  report: (error: unknown) => void,
): Requests {
  return {
    async ask(subject, body, timeoutMs) {
      try {
        requireConnection();
        const answer = await connection.request(`${SUBJECTS}${subject}`, body, { timeout: timeoutMs });
        return answer.data;
      } catch (error) {
        if (isUnheard(error))
          throw new BusError('BUS_NO_ANSWER', `nobody answers ${subject}`, { cause: error });
        throw toBusError(error, `asking ${subject}`);
      }
    },
    answer(prefix, handle) {
      const subscription = connection.subscribe(`${SUBJECTS}${prefix}.*`, {
        callback(error, message) {
          if (error) return report(toBusError(error, `answering ${prefix}`));
          const name = message.subject.slice(SUBJECTS.length + prefix.length + 1);
          handle(name, message.data)
            .then((answer) => message.respond(answer))
            .catch(report);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
