import { API_PREFIX } from '../../contract/api-prefix.ts';
import { noQuery } from '../../contract/params.ts';
import { activeEvents, areEventsKnown } from '../../views/active-events.ts';
import { accountToWire } from '../../views/records/account.ts';
import { oncePerChange } from '../../views/watch.ts';
import type { Endpoint } from '../answer.ts';
import { withCheckedQuery } from '../checked-query.ts';
import { createPrebuilt } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /accounts: the accounts that are followed, in the order of the configuration, with their active events. */
export function accountsEndpoint({ latest, watcher, accounts, now, tagOf }: StreamDeps): Endpoint {
  const watch = watcher.watch(({ stream }) => stream === 'events');
  const textWith = (areKnown: boolean) =>
    oncePerChange(watch, () => {
      const records = accounts.map((account) => {
        const events = activeEvents(latest, account.id);
        // Without the list there may be more than those that are known already.
        return accountToWire(account, areKnown || events.length > 0 ? events : null);
      });
      return `"data":${JSON.stringify(records)}`;
    });
  const known = textWith(true);
  const unknown = textWith(false);
  const areKnown = (nowMs: number) => areEventsKnown(latest, 'posts', nowMs);
  const textAt = (nowMs: number) => (areKnown(nowMs) ? known() : unknown());
  return {
    path: `${API_PREFIX}/accounts`,
    access: 'public',
    answer: withCheckedQuery(
      noQuery,
      createPrebuilt({
        watch,
        name: 'accounts',
        tagOf,
        now,
        size: () => accounts.length,
        build: textAt,
        content: () => textAt(now()),
        mark: (nowMs) => (areKnown(nowMs) ? 'listed' : 'unlisted'),
      }),
    ),
  };
}
