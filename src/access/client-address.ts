import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** The peers whose X-Forwarded-For is believed. */
export interface Proxies {
  trusts(address: string): boolean;
}

/** `networks` are such as `10.0.0.0/8`, `fd00::/8` or a single address. Throws a RangeError for a malformed one. */
export function proxiesOf(networks: readonly string[]): Proxies {
  if (networks.length === 0) return { trusts: () => false };
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits, ...rest] = network.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN);
    if (family === 0 || rest.length > 0 || !(prefix <= most)) {
      throw new RangeError(`expected a network such as 10.0.0.0/8, found ${network}`);
    }
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    trusts(address) {
      const plain = unmapped(address);
      return list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The address that a request counts for: the peer or, when that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not one. Anyone may have written the addresses before it.
 */
export function clientAddressOf(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies: Proxies,
): string {
  const header = headers['x-forwarded-for'];
  const forwarded = typeof header === 'string' ? header : '';
  let client = socket.remoteAddress ?? '';
  let end = forwarded.length;
  while (end > 0 && proxies.trusts(client)) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const entry = addressIn(forwarded.slice(comma + 1, end).trim());
    // A trusted proxy writes addresses only, so the last one that could be read counts.
    if (entry === undefined) break;
    client = entry;
    end = comma;
  }
  return callerAddress(client);
}

/** One caller is an IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one household. */
export function callerAddress(address: string): string {
  if (!address.includes(':')) return address;
  const plain = unmapped(address);
  return plain.includes(':') ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain;
}

/** Whether only programs on this machine reach a server that listens on `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]` and `[::1]:80`, without zone. */
function addressIn(text: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? text).split('%', 1);
  return isIP(address) === 0 ? undefined : address;
}

/** The IPv4 address in an IPv4-mapped IPv6 one, which a socket that listens for both reports. */
function unmapped(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%', 1);
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (dotted !== undefined) return dotted;
  const groups = groupsOf(plain);
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return plain;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const left = splitGroups(head);
  const right = tail === undefined ? [] : splitGroups(tail);
  const zeros = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right];
}

function splitGroups(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [group.replace(/^0+(?=.)/, '')];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}
