import { benchAccess } from './access.ts';
import { benchBeside } from './beside.ts';
import { benchDelivery } from './delivery.ts';
import { benchExport } from './export.ts';
import { benchFeed } from './feed.ts';
import { benchReplay } from './replay.ts';
import { main as benchServer } from './server.ts';
import { benchSimulate } from './simulate.ts';
import { benchUsage } from './usage.ts';

await benchReplay();
await benchExport();
await benchDelivery();
await benchServer();
await benchAccess();
await benchUsage();
await benchSimulate();
await benchBeside();
await benchFeed();
