import { API_PREFIX } from '../../contract/api-prefix.ts';
import { RequestError } from '../../errors.ts';
import type { Endpoint } from '../answer.ts';

/** GET /feed for neither a WebSocket nor an event stream, which the feed itself handles. */
export function feedEndpoint(): Endpoint {
  return {
    path: `${API_PREFIX}/feed`,
    access: 'public',
    answer() {
      throw new RequestError(
        426,
        'upgrade_required',
        'This is a feed: ask for a WebSocket, or send Accept: text/event-stream',
        { Upgrade: 'websocket' },
      );
    },
  };
}
