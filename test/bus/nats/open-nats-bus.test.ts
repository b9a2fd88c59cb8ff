import { openNatsUnderTest } from '../../support/bus/nats-bus.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../../support/bus/nats-server.ts';
import { describeBus } from '../contract.ts';

describe('openNatsBus', () => {
  let server: NatsServer;
  before(async function () {
    requireNatsServer(this);
    server = await createNatsServer();
    await server.start();
  });
  after(() => server?.remove());

  describeBus('the bus on a NATS server', () => openNatsUnderTest(server));
});
