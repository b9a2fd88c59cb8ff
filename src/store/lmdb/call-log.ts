import type { CallBatch, CallLog } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

/** The time of the batch; then of each caller its calls, each by how long before the batch it was, with their number. */
type PackedBatch = [at: number, callers: [caller: string, ...calls: number[]][]];

/** Batches of counted calls under their number. */
export function openCallLog({ durable, root, calls }: Environment): CallLog {
  let lastNumber = [...calls.getKeys({ reverse: true, limit: 1 })][0] ?? 0;

  function* keysBefore(beforeAt: number): Iterable<number> {
    for (const { key, value } of calls.getRange()) {
      if (parseStored<PackedBatch>(value, `the counted calls ${key}`)[0] > beforeAt) return;
      yield key;
    }
  }

  async function write(batch: CallBatch, gone: readonly number[]): Promise<void> {
    lastNumber += 1;
    const number = lastNumber;
    const text = JSON.stringify(pack(batch));
    const write = () =>
      root.batch(() => {
        for (const key of gone) void calls.remove(key);
        void calls.put(number, text);
      });
    await durable(write, 'the counted calls', sizeOf([text], gone.length));
  }

  return {
    all: () =>
      Array.from(calls.getRange(), ({ key, value }) =>
        unpack(parseStored(value, `the counted calls ${key}`)),
      ),
    append: (batch, overAt) => write(batch, [...keysBefore(overAt)]),
    replace: (batch) => write(batch, [...calls.getKeys()]),
  };
}

function pack({ at, callers }: CallBatch): PackedBatch {
  return [
    at,
    callers.map(({ caller, calls }) => [caller, ...calls.flatMap(([time, count]) => [at - time, count])]),
  ];
}

function unpack([at, callers]: PackedBatch): CallBatch {
  return {
    at,
    callers: callers.map(([caller, ...numbers]) => ({
      caller,
      calls: Array.from({ length: numbers.length / 2 }, (_, n) => [
        at - (numbers[2 * n] ?? 0),
        numbers[2 * n + 1] ?? 0,
      ]),
    })),
  };
}
