import { benchBeside } from './beside.ts';
import { benchDelivery } from './delivery.ts';
import { benchReplay } from './replay.ts';
import { main as benchServer } from './server.ts';
import { benchSimulate } from './simulate.ts';

await benchReplay();
await benchDelivery();
await benchServer();
await benchSimulate();
await benchBeside();
