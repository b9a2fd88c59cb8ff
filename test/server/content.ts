import type { Output } from '../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  lagOutput,
  predictionOutput,
  priceOutput,
  scoreOutput,
  signalsOutput,
  spotOutput,
  timeline,
  velocityOutput,
} from '../support/outputs.ts';

/** Something to serve on every endpoint: an event of each account, and one about a price. */
export function contentOfEveryEndpoint(): readonly Output[] {
  const ofAccounts = (['a', 'b'] as const).flatMap((account, index) => {
    const eventId = index + 1;
    const token = `yes-${eventId}`;
    return [
      eventOutput({ eventId, subject: { type: 'posts', account }, buckets: [bucket({ yesToken: token })] }),
      countersOutput({ eventId, account }),
      priceOutput({ eventId, token }),
      predictionOutput({ eventId, account }),
      signalsOutput({ eventId, account }),
      velocityOutput({ account }),
      lagOutput({ account }),
      scoreOutput({ eventId: 100 + eventId, account }),
      ...timeline(120, { account, text: 'ünï 🚀' }),
    ];
  });
  const subject = { type: 'crypto', symbol: 'BTC', kind: 'LADDER', referencePrice: null } as const;
  const crypto = eventOutput({ eventId: 7, subject, buckets: [bucket({ yesToken: 'yes-up' })] });
  return [...ofAccounts, crypto, spotOutput(), freshnessOutput(FRESH_AGES)];
}
