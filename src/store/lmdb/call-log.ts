import type { CallBatch, CallLog, GrantLog } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

/**
 * The time of the batch; then of each caller its calls, each by how long before the batch it was, with their number. A
 * batch of a cluster's ledger has no callers but the events of that time. The time since boot may be missing.
 */
type PackedBatch = [
  at: number,
  callers: [caller: string, ...calls: number[]][],
  events?: readonly string[] | null,
  sinceBoot?: number | null,
];

/** Batches of counted calls, and of events of a ledger, under their number. A store has one or the other. */
export function openCallLogs({ durable, root, calls }: Environment): {
  readonly calls: CallLog;
  readonly grants: GrantLog;
} {
  let lastNumber = [...calls.getKeys({ reverse: true, limit: 1 })][0] ?? 0;

  function* keysBefore(beforeAt: number): Iterable<number> {
    for (const { key, value } of calls.getRange()) {
      if (parseStored<PackedBatch>(value, `the counted calls ${key}`)[0] > beforeAt) return;
      yield key;
    }
  }

  const read = (): readonly PackedBatch[] =>
    Array.from(calls.getRange(), ({ key, value }) => parseStored(value, `the counted calls ${key}`));

  async function write(batch: PackedBatch, gone: readonly number[]): Promise<void> {
    lastNumber += 1;
    const number = lastNumber;
    const text = JSON.stringify(batch);
    const write = () =>
      root.batch(() => {
        for (const key of gone) void calls.remove(key);
        void calls.put(number, text);
      });
    await durable(write, 'the counted calls', sizeOf([text], gone.length));
  }

  return {
    calls: {
      all: () =>
        read()
          .filter(([, , events]) => !events)
          .map(unpack),
      append: (batch, overAt) => write(pack(batch), [...keysBefore(overAt)]),
      replace: (batch) => write(pack(batch), [...calls.getKeys()]),
    },
    grants: {
      all: () => read().flatMap(([, , events]) => events ?? []),
      append: (events, at, overAt) => write([at, [], events], [...keysBefore(overAt)]),
    },
  };
}

function pack({ at, sinceBoot, callers }: CallBatch): PackedBatch {
  return [
    at,
    callers.map(({ caller, calls }) => [caller, ...calls.flatMap(([time, count]) => [at - time, count])]),
    null,
    sinceBoot,
  ];
}

function unpack([at, callers, , sinceBoot = null]: PackedBatch): CallBatch {
  return {
    at,
    sinceBoot,
    callers: callers.map(([caller, ...numbers]) => ({
      caller,
      calls: Array.from({ length: numbers.length / 2 }, (_, n) => [
        at - (numbers[2 * n] ?? 0),
        numbers[2 * n + 1] ?? 0,
      ]),
    })),
  };
}
