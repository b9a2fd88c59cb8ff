import { RequestError } from '../../errors.ts';

/** Refuses what is not an address, with a 400 instead of the 422 of other invalid parameters (spec 7). */
export function checkWallet(wallet: string): void {
  if (/^0x[0-9a-fA-F]{40}$/.test(wallet)) return;
  const message = 'The wallet is not an address, which is 0x and 40 hexadecimal characters';
  throw new RequestError(400, 'wallet_invalid', message);
}
