import { createHttpServer } from '../../../src/server/http.ts';
import { createPositions } from '../../../src/sources/positions/positions.ts';
import { localEndpoints } from '../../support/endpoints.ts';
import { eventOutput } from '../../support/outputs.ts';
import { openScriptedServer, type ScriptedServer } from '../../support/scripted-server.ts';
import { start } from '../start.ts';
import { PATH, PRO } from './stage.ts';

/** A market that a test scripts, a server that asks it, and many callers from one address. */
export interface WalletCrowd {
  readonly market: ScriptedServer;
  /** Resolves to the status of the answer about a wallet. */
  ask(wallet: string): Promise<number>;
  get(path: string): Promise<number>;
  close(): Promise<void>;
}

/** `timeoutMs` is how long the market may take for an answer. */
export async function openWalletCrowd(timeoutMs: number): Promise<WalletCrowd> {
  const market = await openScriptedServer();
  const positions = createPositions(localEndpoints(market), { timeoutMs });
  const running = await start({ loaded: [eventOutput()], deps: { positions } });
  const http = createHttpServer(running.app);
  const url = await http.listen(0, '127.0.0.1');
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers: PRO });
    await response.arrayBuffer();
    return response.status;
  };
  return {
    market,
    ask: (wallet) => get(`${PATH}?wallet=${wallet}`),
    get,
    async close() {
      await http.drain({ noticeMs: 0, deadlineMs: 0 });
      await running.stop();
      await market.close();
    },
  };
}

export function walletsFrom(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `0x${String(first + index).padStart(40, '0')}`);
}
