import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Answer, type Handler, jsonBody, ok } from './answer.ts';

/** A transfer that its payer signed (EIP-3009). */
interface Transfer {
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly nonce: string;
}

/** The transfer or the cancellation that used a nonce. */
interface Use {
  readonly type: 'transferred' | 'cancelled';
  readonly transfer: Transfer;
  readonly transaction: string;
  readonly block: number;
}

/** A chain in memory with one token: nonces, balances, and a node's JSON-RPC to read them. */
export interface Chain {
  readonly handle: Handler;
  isUsed(transfer: Transfer): boolean;
  /** What an address may still spend; without a limit unless one was set. */
  balanceOf(address: string): bigint | undefined;
  setBalance(address: string, balance: bigint): void;
  /** Moves the money; the hash of the transaction, or undefined when the nonce is used. */
  transfer(transfer: Transfer): string | undefined;
  /** What a payer does who takes a signature back: the nonce is used, and no money moves. */
  cancel(transfer: Transfer): void;
  /** Transactions of all transfers by payer and nonce; each is there once. */
  readonly transfers: ReadonlyMap<string, string>;
}

const CHAIN_ID = 84_532;
const BLOCK_MS = 2_000;
/** Blocks this far back do not change any more. */
const FINAL_BLOCKS = 5;

/** Names of methods and events, written down a second time: a mistake in those that payments go by would show. */
const AUTHORIZATION_STATE = '0xe94a0102';
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
const AUTHORIZATION_CANCELED = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const requestSchema = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });
const callSchema = z.object({ data: z.string() });
const filterSchema = z.object({ topics: z.tuple([z.unknown(), z.string(), z.string()]) });

const keyOf = (from: string, nonce: string) => `${from}|${nonce}`.toLowerCase();
const quantity = (value: number) => `0x${value.toString(16)}`;
const word = (hex: string) => `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;

/** `now` in UTC ms. */
export function createChain(now: () => number): Chain {
  const uses = new Map<string, Use>();
  const transfers = new Map<string, string>();
  const balances = new Map<string, bigint>();
  const blockNow = () => Math.floor(now() / BLOCK_MS);

  function use(type: Use['type'], transfer: Transfer): string {
    const key = keyOf(transfer.from, transfer.nonce);
    const transaction = `0x${createHash('sha256').update(key).digest('hex')}`;
    uses.set(key, { type, transfer, transaction, block: blockNow() });
    if (type === 'transferred') transfers.set(key, transaction);
    return transaction;
  }

  function logsOf({ type, transfer, transaction, block }: Use): readonly unknown[] {
    const { asset, from, to, value, nonce } = transfer;
    const where = { address: asset, transactionHash: transaction, blockNumber: quantity(block) };
    const event = type === 'transferred' ? AUTHORIZATION_USED : AUTHORIZATION_CANCELED;
    const used = { ...where, topics: [event, word(from), nonce], data: '0x' };
    if (type === 'cancelled') return [used];
    const moved = { topics: [TRANSFER, word(from), word(to)], data: word(value.toString(16)) };
    return [used, { ...where, ...moved }];
  }

  /** Throws when the parameters have another form. */
  function resultOf(method: string, params: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return quantity(CHAIN_ID);
      case 'eth_blockNumber':
        return quantity(blockNow());
      case 'eth_getBlockByNumber': {
        const number = params[0] === 'finalized' ? blockNow() - FINAL_BLOCKS : blockNow();
        return { number: quantity(number), timestamp: quantity((number * BLOCK_MS) / 1_000) };
      }
      case 'eth_call': {
        const { data } = callSchema.parse(params[0]);
        if (!data.startsWith(AUTHORIZATION_STATE)) return '0x';
        const [from, nonce] = [`0x${data.slice(34, 74)}`, `0x${data.slice(74)}`];
        return word(uses.has(keyOf(from, nonce)) ? '1' : '0');
      }
      case 'eth_getLogs': {
        const [, from, nonce] = filterSchema.parse(params[0]).topics;
        const found = uses.get(keyOf(`0x${from.slice(26)}`, nonce));
        return found === undefined ? [] : logsOf(found).slice(0, 1);
      }
      case 'eth_getTransactionReceipt': {
        const found = [...uses.values()].find(({ transaction }) => transaction === params[0]);
        return found === undefined ? null : { status: '0x1', logs: logsOf(found) };
      }
      default:
        throw new RangeError(`the method ${method} does not exist`);
    }
  }

  function answer(request: z.infer<typeof requestSchema>): Answer {
    const { id, method, params } = request;
    try {
      return ok({ jsonrpc: '2.0', id, result: resultOf(method, params) });
    } catch (error) {
      return ok({ jsonrpc: '2.0', id, error: { code: -32602, message: String(error) } });
    }
  }

  return {
    handle(request) {
      const parsed = requestSchema.safeParse(jsonBody(request));
      return parsed.success ? answer(parsed.data) : { status: 400, body: { error: 'no request' } };
    },
    isUsed: ({ from, nonce }) => uses.has(keyOf(from, nonce)),
    balanceOf: (address) => balances.get(address.toLowerCase()),
    setBalance: (address, balance) => void balances.set(address.toLowerCase(), balance),
    transfer(transfer) {
      if (uses.has(keyOf(transfer.from, transfer.nonce))) return undefined;
      const balance = balances.get(transfer.from.toLowerCase());
      if (balance !== undefined) balances.set(transfer.from.toLowerCase(), balance - transfer.value);
      return use('transferred', transfer);
    },
    cancel(transfer) {
      if (!uses.has(keyOf(transfer.from, transfer.nonce))) use('cancelled', transfer);
    },
    transfers,
  };
}
