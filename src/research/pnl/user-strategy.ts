import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSame, type Output } from '../../../streams/internal.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { checkedOrder, type Order } from './order.ts';
import type { Portfolio, Strategy } from './strategy.ts';

/** What a strategy file exports as its default. It may return nothing, orders, or orders and what to remember. */
export type UserStrategy = (record: unknown, portfolio: Portfolio, memory: unknown) => unknown;

/** Streams that are no news: requests of the engine to itself, and faults of its own. */
const UNSEEN: readonly Output['stream'][] = ['requests', 'failures'];

export async function loadStrategy(path: string): Promise<Strategy> {
  if (!existsSync(path))
    throw new ServiceError('STRATEGY_FILE', `cannot load the strategy ${path}: there is no such file`);
  let loaded: Readonly<Record<string, unknown>>;
  try {
    loaded = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw new ServiceError('STRATEGY_FILE', `cannot load the strategy ${path}: ${messageOf(cause)}`, {
      cause,
    });
  }
  const { default: decide } = loaded;
  if (typeof decide !== 'function')
    throw new ServiceError('STRATEGY_FILE', `${path} has no function as its default export`);
  return userStrategy(basename(path), (...args) => decide(...args));
}

/**
 * Shows somebody's function one record after the other. Records, portfolio and memory are copies that cannot be changed,
 * so that nothing kept from an earlier call tells of later ones. It is called twice with the same arguments: one that
 * answers differently depends on something else than the records, and its result could not be repeated.
 */
export function userStrategy(name: string, decide: UserStrategy): Strategy {
  let memory: unknown;
  function call(record: unknown, portfolio: Portfolio, seq: number): Answer {
    try {
      return answerOf(decide(record, portfolio, memory));
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      const place = `at the record of seq ${seq}`;
      throw new ServiceError('STRATEGY_FAILED', `${name} failed ${place}: ${messageOf(cause)}`, { cause });
    }
  }
  return {
    name,
    decide(output, view) {
      if (UNSEEN.includes(output.stream)) return [];
      const record = frozen(JSON.parse(JSON.stringify(output)));
      const portfolio = view.portfolio();
      frozen(portfolio);
      const answer = call(record, portfolio, output.seq);
      const again = call(record, portfolio, output.seq);
      if (!isSame(answer.orders, again.orders)) {
        const both = `${JSON.stringify(answer.orders)} and ${JSON.stringify(again.orders)}`;
        throw new ServiceError(
          'STRATEGY_IMPURE',
          `${name} gave two answers to the record of seq ${output.seq}: ${both.slice(0, 400)}`,
        );
      }
      if (answer.memory !== undefined) memory = answer.memory;
      return answer.orders;
    },
  };
}

interface Answer {
  readonly orders: readonly Order[];
  /** Undefined to remember what was remembered before. */
  readonly memory: unknown;
}

function answerOf(returned: unknown): Answer {
  if (returned === undefined || returned === null) return { orders: [], memory: undefined };
  const { orders = [], memory }: { orders?: unknown; memory?: unknown } = Array.isArray(returned)
    ? { orders: returned }
    : { ...Object(returned) };
  if (!Array.isArray(orders))
    throw new TypeError('it returned neither a list of orders nor an object with one');
  return { orders: orders.map(checkedOrder), memory: frozen(memory) };
}

/** What was frozen to its ends, so that a large memory is not gone through at every record. */
const wholly = new WeakSet<object>();

/** Freezes plain data to its ends. */
function frozen(value: unknown): unknown {
  if (typeof value === 'function') throw new TypeError('memory has to be plain data, and a function is none');
  if (typeof value !== 'object' || value === null || wholly.has(value)) return value;
  const kind = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== Array.prototype && kind !== null)
    throw new TypeError('memory has to be plain data: objects, lists, numbers and texts');
  Object.freeze(value);
  wholly.add(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
