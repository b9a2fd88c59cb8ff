import type { Cause } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed.ts';

/**
 * The code of each cause on the wire. What has none of its own goes under the nearest: posts that became known or
 * changed are news of posts, a spot price is a price, a changed event counts as opened anew, and what
 * counts is a matter of the model.
 */
const CODES: Readonly<Record<Cause, FeedCause>> = {
  new_post: 'new_post',
  post_edited: 'new_post',
  post_deleted: 'post_deleted',
  coverage: 'new_post',
  oracle: 'oracle',
  ui: 'ui',
  price: 'price',
  spot: 'price',
  clock: 'clock',
  model: 'model',
  settings: 'model',
  event_opened: 'event_opened',
  event_changed: 'event_opened',
  event_closed: 'event_closed',
  failure: 'model',
};

export function feedCause(cause: Cause): FeedCause {
  return CODES[cause];
}
