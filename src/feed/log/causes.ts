import type { Cause } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed/names.ts';

/**
 * The code of each cause on the wire. A cause without a code of its own has the nearest one: an edited post or new
 * coverage is `new_post`, a spot price is `price`, a changed event is `event_opened`, and settings and failures are
 * `model`.
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
