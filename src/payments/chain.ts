import * as z from 'zod';
import { askJson } from './ask-json.ts';

/** A signed transfer (EIP-3009), which the chain lets happen once. */
export interface SignedTransfer {
  /** Contract of the token. */
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly nonce: string;
  /** UTC ms. */
  readonly validBeforeAt: number;
}

/** What the chain itself shows of a signed transfer. */
export type ChainEvidence =
  | { readonly type: 'transferred'; readonly transaction: string }
  /** It did not happen, and never will. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Its nonce is used, but not by what: the transaction is too old to be looked up, or the node keeps no logs. */
  | { readonly type: 'used' }
  /** It did not happen yet. */
  | { readonly type: 'unused' }
  | { readonly type: 'unavailable'; readonly reason: string };

export interface Chain {
  /** Never rejects. */
  evidenceOf(transfer: SignedTransfer): Promise<ChainEvidence>;
}

export interface ChainOptions {
  /** A node of the chain that speaks JSON-RPC. */
  readonly url: string;
  /** A node of another chain knows no nonce of ours, so it is not believed. */
  readonly chainId: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 5_000;
/** A transaction of a contract that does much besides has a long receipt. */
const MAX_REPLY_BYTES = 1_024 * 1_024;
/** How far back transactions are looked up. Nodes refuse wider ranges; this is hours on any chain. */
const BLOCKS_BACK = 5_000;
/** Nodes behind one address may differ by some blocks. */
const MARGIN_MS = 60_000;

/** First bytes of the Keccak-256 hash of `authorizationState(address,bytes32)`. */
const AUTHORIZATION_STATE = '0xe94a0102';
/** Hashes of `AuthorizationUsed(address,bytes32)`, `AuthorizationCanceled(address,bytes32)` and `Transfer(address,address,uint256)`. */
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
const AUTHORIZATION_CANCELED = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const log = z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() });
const word = hash.transform(BigInt);
const logsSchema = z.array(log.extend({ transactionHash: hash, blockNumber: quantity }));
const receiptSchema = z.object({ logs: z.array(log) });
const blockSchema = z.object({ number: quantity, timestamp: quantity });
const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The node gave no answer of the expected form. */
class NodeError extends Error {}
/** The node says that it cannot answer this: it does not keep what is asked for, or does not know the method. */
class NodeRefusal extends NodeError {}

/** Reads the chain through one node. */
export function createChain({ url, chainId, timeoutMs = TIMEOUT_MS, signal }: ChainOptions): Chain {
  let isOurs = false;

  async function call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await askJson({ url, body, timeoutMs, maxBytes: MAX_REPLY_BYTES, signal });
    if ('failure' in answer) throw new NodeError(`${method}: ${answer.failure}`);
    const parsed = answerSchema.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) {
      throw new NodeError(`${method}: status ${answer.status} without an answer`);
    }
    const { error, result } = parsed.data;
    if (error !== undefined) throw new NodeRefusal(`${method}: ${error.message}`);
    const value = schema.safeParse(result);
    if (!value.success) throw new NodeError(`${method}: an answer of another form`);
    return value.data;
  }

  async function checkChain(): Promise<void> {
    if (isOurs) return;
    const id = await call('eth_chainId', [], quantity);
    if (id !== BigInt(chainId)) throw new NodeError(`the node is of chain ${id}, expected ${chainId}`);
    isOurs = true;
  }

  async function isUsed({ asset, from, nonce }: SignedTransfer): Promise<boolean> {
    const data = AUTHORIZATION_STATE + wordOf(from).slice(2) + nonce.slice(2);
    return (await call('eth_call', [{ to: asset, data }, 'latest'], word)) !== 0n;
  }

  /** What used the nonce. That it was something else is told once it cannot be undone any more. */
  async function useOf(transfer: SignedTransfer, finalNumber: bigint): Promise<ChainEvidence> {
    const { asset, from, nonce } = transfer;
    const latest = await call('eth_blockNumber', [], quantity);
    const first = latest > BLOCKS_BACK ? latest - BigInt(BLOCKS_BACK) : 0n;
    const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], wordOf(from), nonce];
    const filter = { address: asset, fromBlock: `0x${first.toString(16)}`, toBlock: 'latest', topics };
    const [use] = await call('eth_getLogs', [filter], logsSchema);
    if (use === undefined) return { type: 'used' };
    const failed = (reason: string): ChainEvidence =>
      use.blockNumber <= finalNumber
        ? { type: 'failed', reason }
        : { type: 'unavailable', reason: `${reason}, in a block that is not final` };
    if (same(use.topics[0] ?? '', AUTHORIZATION_CANCELED)) return failed('authorization_canceled');
    const { transactionHash } = use;
    const { logs } = await call('eth_getTransactionReceipt', [transactionHash], receiptSchema);
    return logs.some((each) => isTransfer(each, transfer))
      ? { type: 'transferred', transaction: transactionHash }
      : failed('authorization_used_for_another_transfer');
  }

  /**
   * The chain takes no transfer from `validBefore` on, and blocks before a final one no longer change. So a nonce that
   * is unused although a final block is later than that stays unused.
   */
  async function evidence(transfer: SignedTransfer): Promise<ChainEvidence> {
    await checkChain();
    const final = await call('eth_getBlockByNumber', ['finalized', false], blockSchema);
    if (await isUsed(transfer)) {
      return await useOf(transfer, final.number).catch((error: unknown): ChainEvidence => {
        if (error instanceof NodeRefusal) return { type: 'used' };
        throw error;
      });
    }
    const isOver = Number(final.timestamp) * 1_000 >= transfer.validBeforeAt + MARGIN_MS;
    return isOver ? { type: 'failed', reason: 'authorization_expired_unused' } : { type: 'unused' };
  }

  return {
    evidenceOf: (transfer) =>
      evidence(transfer).catch((error: unknown): ChainEvidence => {
        if (error instanceof NodeError) return { type: 'unavailable', reason: error.message };
        throw error;
      }),
  };
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** An address as a word of 32 bytes. */
function wordOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

function isTransfer(
  { address, topics: [event = '', from = '', to = ''], data }: z.infer<typeof log>,
  transfer: SignedTransfer,
): boolean {
  return (
    same(address, transfer.asset) &&
    same(event, TRANSFER) &&
    same(from, wordOf(transfer.from)) &&
    same(to, wordOf(transfer.to)) &&
    word.safeParse(data).data === transfer.value
  );
}
