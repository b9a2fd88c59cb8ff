import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** Does something with the streams at a server as an operator would. */
export async function administer<T>(
  url: string | readonly string[],
  act: (jsm: JetStreamManager) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: [url].flat() });
  try {
    return await act(await jetstreamManager(connection, { checkAPI: false }));
  } finally {
    await connection.close();
  }
}
