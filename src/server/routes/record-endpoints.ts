import { includes } from '../../access/tiers.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { noQuery, pastQuery } from '../../contract/params.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { audienceOf } from '../../views/audience.ts';
import { countersView } from '../../views/records/counters.ts';
import { cryptoView } from '../../views/records/crypto.ts';
import { lagView } from '../../views/records/lag.ts';
import { predictionView } from '../../views/records/prediction.ts';
import type { Endpoint } from '../answer.ts';
import { withCheckedQuery } from '../checked-query.ts';
import { createRecordAnswers } from '../record-answers.ts';
import { accountRoute } from './account-route.ts';
import type { StreamDeps } from './deps.ts';

const EVERYONE = audienceOf('everyone', 'FREE');

/** GET /meta/{account}: the counters of every active event (spec 4, endpoints 1 and 2). */
export function metaEndpoint(deps: StreamDeps, account: AccountPath): Endpoint {
  const answers = createRecordAnswers(deps, countersView(account), account);
  return {
    ...accountRoute('/meta/{account}', account),
    access: 'public',
    isCounted: true,
    answer: withCheckedQuery(pastQuery, answers.ready(`meta-${account.segment}`, EVERYONE)),
  };
}

/** GET /meta/crypto: every active crypto price event with its prices (spec 4, endpoint 3). */
export function cryptoEndpoint(deps: StreamDeps): Endpoint {
  const answers = createRecordAnswers(deps, cryptoView());
  return {
    path: `${API_PREFIX}/meta/crypto`,
    access: 'public',
    answer: withCheckedQuery(noQuery, answers.ready('meta-crypto', EVERYONE)),
  };
}

/** GET /meta/{account}/lag: how far the service, the oracle and the trading page are behind the posts. */
export function lagEndpoint(deps: StreamDeps, account: AccountPath): Endpoint {
  const answers = createRecordAnswers(deps, lagView(account), account);
  return {
    ...accountRoute('/meta/{account}/lag', account),
    access: 'public',
    answer: withCheckedQuery(pastQuery, answers.ready(`lag-${account.segment}`, EVERYONE)),
  };
}

/** GET /prediction/{account}: forecast, prices and edges of every active event (spec 4, endpoints 6 and 7). */
export function predictionEndpoint(deps: StreamDeps, account: AccountPath): Endpoint {
  const answers = createRecordAnswers(deps, predictionView(account), account);
  const free = answers.ready(`prediction-${account.segment}-FREE`, audienceOf('tier', 'FREE'));
  const paid = answers.ready(`prediction-${account.segment}-PRO`, audienceOf('tier', 'PRO'));
  return {
    ...accountRoute('/prediction/{account}', account),
    access: 'tiered',
    answer: withCheckedQuery(pastQuery, (call, tier) => (includes(tier, 'PRO') ? paid(call) : free(call))),
  };
}
