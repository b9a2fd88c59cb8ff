import {
  type AlertCommand,
  type AlertCommandAnswer,
  parseAlertCommandAnswer,
} from '../alerts/alert-commands.ts';
import type { AskEngine } from '../cluster/commands/ask-engine.ts';
import { RequestError, ServiceError } from '../errors.ts';

/** A rule is stored in milliseconds, or the engine that leads is being replaced. */
const PATIENCE_MS = 5_000;

/** Has the engine that leads a shard carry out what an operator says to any of its engines. */
export async function runOnLeader(
  ask: AskEngine,
  { shard, id }: { readonly shard: string; readonly id: string },
  command: AlertCommand,
): Promise<AlertCommandAnswer> {
  const { answer, refusal } = await ask
    .until(shard, 'operate', { id, command }, PATIENCE_MS)
    .catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      const message = `no engine that leads the shard ${shard} answers now: look whether it was done, and try again`;
      throw new ServiceError('ALERTS_CLOSED', message, { cause: error });
    });
  if (refusal !== null) throw new ServiceError('ALERTS_REFUSED', refusal);
  return parseAlertCommandAnswer(answer);
}
