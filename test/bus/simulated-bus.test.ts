import { openSimulatedBus } from '../support/bus/simulated-bus.ts';
import { describeBus } from './contract.ts';

describeBus('the bus on a simulated cluster', async () => openSimulatedBus(1));
