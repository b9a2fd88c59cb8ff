import { errors, type NatsConnection } from '@nats-io/transport-node';
import * as z from 'zod';
import type { ServerReport } from '../inspection.ts';
import { isUnheard } from './failures.ts';
import { isOldServer } from './server-version.ts';

/**
 * Every server answers this, with the settings of its streams. It belongs to the system account, so that others only reach
 * it where the configuration of the servers gives it to them.
 */
const SUBJECT = '$SYS.REQ.SERVER.PING.JSZ';
const ANSWERS_WITHIN_MS = 2_000;
/** All answer at about the same time. */
const QUIET_MS = 500;

const answer = z.object({
  server: z.object({ name: z.string(), ver: z.string() }),
  data: z.object({ config: z.object({ sync_always: z.boolean().optional() }) }),
});

/** All servers, if they may be asked; otherwise what is known of the one that is connected. */
export async function reportServers(connection: NatsConnection): Promise<readonly ServerReport[]> {
  const found: ServerReport[] = [];
  try {
    const options = { strategy: 'stall', maxWait: ANSWERS_WITHIN_MS, stall: QUIET_MS } as const;
    for await (const message of await connection.requestMany(SUBJECT, '{"config":true}', options)) {
      const { server, data } = answer.parse(message.json());
      // A server leaves out what is false.
      found.push(reportOf(server.name, server.ver, data.config.sync_always === true));
    }
  } catch (error) {
    const isNotGiven =
      isUnheard(error) ||
      error instanceof errors.PermissionViolationError ||
      error instanceof errors.TimeoutError;
    if (!isNotGiven) throw error;
  }
  if (found.length > 0) return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  const { server_name: name = 'unknown', version = 'unknown' } = connection.info ?? {};
  return [reportOf(name, version, null)];
}

function reportOf(name: string, version: string, syncsEveryWrite: boolean | null): ServerReport {
  return { name, version, isOld: isOldServer(version), syncsEveryWrite };
}
