/** Where an attack takes place, and how many take part. */
export interface Field {
  readonly port: number;
  readonly connections: number;
  /** No attack goes on for longer. */
  readonly mostMs: number;
}

/**
 * An attack goes on until it is over by itself, and resolves to a few words about what became of it. It rejects when the
 * server gave a wrong answer.
 */
export interface Attack {
  readonly name: string;
  run(field: Field): Promise<string>;
}

/** How long attackers go on that the server does not close: longer than it lets anyone wait. */
const LASTING_MS = 40_000;

interface Attackers extends Field {
  readonly durationMs: number;
  readonly addressOf: (n: number) => string;
}

/** An attack by connections that go on until they are closed. */
export function lasting(
  name: string,
  attack: (attackers: Attackers) => Promise<{ readonly closed: number; readonly opened?: number }>,
): Attack {
  return {
    name,
    async run(field) {
      const durationMs = Math.min(LASTING_MS, field.mostMs);
      const { closed, opened } = await attack({ ...field, durationMs, addressOf: attackerAddress });
      const accepted = opened === undefined ? '' : `${opened} accepted, `;
      return `${accepted}${closed} of ${field.connections} closed by the server`;
    },
  };
}

/** Attackers to each address: as many as the feed takes from one. */
const PER_ADDRESS = 20;

/** An address of this machine for the nth attacker; good clients have another. */
export function attackerAddress(n: number): string {
  const place = Math.floor(n / PER_ADDRESS);
  return `127.1.${Math.floor(place / 250)}.${1 + (place % 250)}`;
}
