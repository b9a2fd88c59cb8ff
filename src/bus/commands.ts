import { messageOf } from '../errors.ts';
import type { Commands } from './bus.ts';
import { BusError, isUnreachable } from './bus-error.ts';
import { checkName } from './names.ts';
import type { Time } from './time.ts';
import type { Requests } from './transport.ts';

/** How long an edge waits for the leading engine. */
const ANSWER_WITHIN_MS = 2_000;
/** While nobody answers, as between two leaders, the command was not carried out and can be sent again. */
const RETRY_MS = 100;

/** The first byte of an answer. */
const DONE = 0;
const FAILED = 1;

interface CommandsOptions {
  readonly requests: Requests;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

export function createCommands({ requests, time, signal, report }: CommandsOptions): Commands {
  const noAnswer = (shard: string, cause: unknown) =>
    new BusError('BUS_NO_ANSWER', `the leading engine of shard ${shard} did not answer in time`, { cause });

  /** The answer as it came. */
  const ask = async (shard: string, name: string, body: Uint8Array): Promise<Uint8Array> => {
    const subject = `command.${checkName(shard)}.${checkName(name)}`;
    const until = time.mono() + ANSWER_WITHIN_MS;
    for (;;) {
      const leftMs = until - time.mono();
      try {
        return await requests.ask(subject, body, Math.max(1, leftMs));
      } catch (error) {
        if (isUnreachable(error)) throw noAnswer(shard, error);
        const isUnheard = error instanceof BusError && error.code === 'BUS_NO_ANSWER';
        if (!isUnheard) throw error;
        if (leftMs <= RETRY_MS || signal.aborted) throw noAnswer(shard, error);
      }
      await time.pause(RETRY_MS, signal);
    }
  };

  return {
    async ask(shard, name, body) {
      const answer = await ask(shard, name, body);
      const content = answer.subarray(1);
      if (answer[0] === DONE) return content;
      throw new BusError('BUS_COMMAND_FAILED', Buffer.from(content).toString());
    },
    answer: (shard, handle) =>
      requests.answer(`command.${checkName(shard)}`, async (name, body) => {
        try {
          return Buffer.concat([new Uint8Array([DONE]), await handle(name, body)]);
        } catch (error) {
          report(error);
          const message = messageOf(error);
          return Buffer.concat([new Uint8Array([FAILED]), Buffer.from(message)]);
        }
      }),
  };
}
