import { createHttpServer, HTTP_LIMITS } from '../../src/server/http.ts';
import { start } from '../server/start.ts';
import { sendToParent } from '../support/child.ts';
import { timeline } from '../support/outputs.ts';

/** A server with the usual limits but that of connections per address, in a process of its own. */
const { app } = await start({ loaded: timeline(100) });
const http = createHttpServer(app, { ...HTTP_LIMITS, maxConnectionsPerAddress: 15_000 });
sendToParent({ url: await http.listen(0, '127.0.0.1') });
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
