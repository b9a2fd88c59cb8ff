import type { RulesOfKeys } from '../../alerts/rules-of-keys.ts';
import { alertBody } from '../../contract/alert-rule.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { alertQuery, deadAlertsQuery, noQuery } from '../../contract/params.ts';
import { readBody, readQuery } from '../../contract/validation/validate.ts';
import { type Answer, type Call, plainAnswer, type SlowEndpoint } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import { receiveJson } from '../request-body.ts';
import { starting } from '../starting.ts';

const PATH = `${API_PREFIX}/alerts`;
/** About what a key keeps: no payment buys it. */
const OF_KEY = { access: 'PRO', isOfKey: true } as const;

interface AlertRouteDeps {
  /** Undefined until the engine is open. */
  readonly rules: () => RulesOfKeys | undefined;
  readonly now: () => number;
}

/** GET, POST and DELETE /alerts: the rules of the calling key; and what of them could not be delivered. */
export function alertEndpoints({ rules, now }: AlertRouteDeps): readonly SlowEndpoint[] {
  const opened = () => {
    const open = rules();
    if (open === undefined) throw starting('it reads its own log');
    return open;
  };
  const answer = (body: object): Answer => plainAnswer(200, JSON_TYPE, JSON.stringify(body), API_HEADERS);
  const data = (list: readonly object[]) => answer({ timestamp: now(), data: list });
  return [
    {
      ...OF_KEY,
      method: 'GET',
      path: PATH,
      async answer(call) {
        readQuery(noQuery, call.query);
        return data(await opened().list(keyOf(call)));
      },
    },
    {
      ...OF_KEY,
      method: 'POST',
      path: PATH,
      async answer(call, _tier, { req }) {
        const body = readBody(alertBody, await receiveJson(req), call.query);
        return answer(await opened().add(keyOf(call), body));
      },
    },
    {
      ...OF_KEY,
      method: 'DELETE',
      path: PATH,
      async answer(call) {
        const { id } = readQuery(alertQuery, call.query);
        await opened().remove(keyOf(call), id);
        return answer({ id });
      },
    },
    {
      ...OF_KEY,
      method: 'GET',
      path: `${PATH}/dead`,
      async answer(call) {
        const { limit } = readQuery(deadAlertsQuery, call.query);
        return data(await opened().dead(keyOf(call), limit));
      },
    },
  ];
}

function keyOf({ keyId }: Call): string {
  if (keyId === null) throw new TypeError('alerts asked for without a key');
  return keyId;
}
