import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/**
 * Pays for one call of each address: `node build/src/examples/pay.js [url …]`, with `tallywire start --payments demo`
 * running. The private key is generated on the spot, so no real money can move.
 */
const [, , ...given] = process.argv;
const urls = given.length === 0 ? ['http://127.0.0.1:8080/api/v1/signals/account_a'] : given;
const print = (line: string) => process.stdout.write(`${line}\n`);
const payer = new ExactEvmScheme(privateKeyToAccount(generatePrivateKey()));

for (const url of urls) {
  const unpaid = await fetch(url);
  const { code = 'what FREE sees' } = Object(await unpaid.json());
  const offer = unpaid.headers.get('PAYMENT-REQUIRED');
  if (offer === null) throw new Error(`${unpaid.status} ${code}: the server names no way to pay for ${url}`);
  const [accepted] = decodePaymentRequiredHeader(offer).accepts;
  if (accepted === undefined) throw new Error('the server accepts no payment');
  const price = `${Number(accepted.amount) / 1e6} ${accepted.extra.name}`;
  print(`${unpaid.status} ${code}: ${price} on ${accepted.network}`);

  const { payload } = await payer.createPaymentPayload(2, accepted);
  const headers = { x402: encodePaymentSignatureHeader({ x402Version: 2, accepted, payload }) };
  const paid = await fetch(url, { headers });
  const body = await paid.text();
  if (paid.status !== 200) throw new Error(`${paid.status} ${body}`);
  const receipt = decodePaymentResponseHeader(paid.headers.get('PAYMENT-RESPONSE') ?? '');
  print(
    `${paid.status} paid in ${receipt.transaction.slice(0, 6)}…, ${JSON.parse(body).data.length} records`,
  );

  const again = await fetch(url, { headers });
  const isSame = (await again.text()) === body;
  print(`${again.status} ${isSame ? 'the same' : 'another'} answer for the same payment`);
}
