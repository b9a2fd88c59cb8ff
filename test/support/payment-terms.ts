import type { PaymentTerms } from '../../src/payments/terms.ts';

export const TERMS: PaymentTerms = {
  network: 'eip155:84532',
  asset: '0xde00de00de00de00de00de00de00de00de00de00',
  assetName: 'Demo Dollar',
  assetVersion: '1',
  payTo: '0xda00da00da00da00da00da00da00da00da00da00',
  price: 10_000n,
  prices: [{ prefix: '/api/v1/portfolio', price: 50_000n }],
};

export const SIGNALS = '/api/v1/signals/account_a';
