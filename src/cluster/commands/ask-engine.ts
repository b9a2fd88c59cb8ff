import { engineUnavailable } from '../../access/engine-unavailable.ts';
import type { Commands } from '../../bus/bus.ts';
import { BusError } from '../../bus/bus-error.ts';
import type { Time } from '../../bus/time.ts';
import {
  type Answered,
  type Asked,
  type CommandName,
  decodeSaid,
  encodeAsked,
  type Said,
} from './messages.ts';

/** Asks the leading engine of a shard. */
export interface AskEngine {
  /** One question. Rejects with a RequestError when no engine answers (503) or it refuses. */
  once<Name extends CommandName>(
    shard: string,
    name: Name,
    asked: Asked<Name>,
  ): Promise<Exclude<Said<Name>, { kind: 'refused' }>>;
  /** The same, asked again while the engine works on it, for `patienceMs` in all. */
  until<Name extends CommandName>(
    shard: string,
    name: Name,
    asked: Asked<Name>,
    patienceMs: number,
  ): Promise<Answered<Name>>;
}

export function createAskEngine(commands: Commands, time: Pick<Time, 'mono'>): AskEngine {
  async function once<Name extends CommandName>(
    shard: string,
    name: Name,
    asked: Asked<Name>,
  ): Promise<Exclude<Said<Name>, { kind: 'refused' }>> {
    let said: Said<Name>;
    try {
      said = decodeSaid(name, await commands.ask(shard, name, encodeAsked(asked)));
    } catch (error) {
      if (isSilence(error)) throw engineUnavailable();
      throw error;
    }
    if (said.kind === 'refused') throw said.error;
    return said;
  }

  return {
    once,
    async until(shard, name, asked, patienceMs) {
      const endAt = time.mono() + patienceMs;
      for (;;) {
        const said = await once(shard, name, asked);
        if (said.kind === 'done') return said.result;
        if (time.mono() >= endAt) throw engineUnavailable();
      }
    },
  };
}

/** Whether nobody answered; what was asked may have been done. */
function isSilence(error: unknown): boolean {
  return (
    error instanceof BusError &&
    (error.code === 'BUS_NO_ANSWER' || error.code === 'BUS_UNREACHABLE' || error.code === 'BUS_CLOSED')
  );
}
