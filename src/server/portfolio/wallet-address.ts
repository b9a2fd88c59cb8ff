import { RequestError } from '../../errors.ts';

/** Refuses what is not an address. It is not a fault of validation: the interface answers it with 400 (spec 7). */
export function checkWallet(wallet: string): void {
  if (/^0x[0-9a-fA-F]{40}$/.test(wallet)) return;
  const message = 'The wallet is not an address, which is 0x and 40 hexadecimal characters';
  throw new RequestError(400, 'wallet_invalid', message);
}
