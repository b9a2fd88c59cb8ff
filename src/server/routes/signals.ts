import type * as z from 'zod';
import { signalsQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { type Audience, audienceOf } from '../../views/audience.ts';
import { signalsView } from '../../views/records/signals.ts';
import type { Endpoint } from '../answer.ts';
import { createRecordAnswers } from '../record-answers.ts';
import { accountRoute } from './account-route.ts';
import type { StreamDeps } from './deps.ts';

/** GET /signals/{account}: what to buy and sell of every active event (spec 4, endpoints 8 and 9). */
export function signalsEndpoint(deps: StreamDeps, account: AccountPath): Endpoint {
  const nameOf = ({ bankrollUsd, includesUnproven, isOnlyWithSignals }: Audience) =>
    `signals-${account.segment}-${bankrollUsd}-${Number(includesUnproven)}${Number(isOnlyWithSignals)}`;
  const answers = createRecordAnswers(deps, signalsView(account), account);
  const usual = audienceOf('bankroll', 'PRO');
  const answerUsual = answers.ready(nameOf(usual), usual);
  const answerOther = answers.onDemand('PRO');
  return {
    ...accountRoute('/signals/{account}', account),
    access: 'PRO',
    answer(call) {
      const audience = signalsAudience(readQuery(signalsQuery, call.query));
      return audience.name === usual.name ? answerUsual(call) : answerOther(nameOf(audience), audience, call);
    },
  };
}

/** The caller that a query is for. */
export function signalsAudience(query: z.output<typeof signalsQuery>): Audience {
  return audienceOf('bankroll', 'PRO', {
    bankrollUsd: query.bankroll,
    includesUnproven: query.include_unproven,
    isOnlyWithSignals: query.only_with_signals,
  });
}
