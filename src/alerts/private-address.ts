import { BlockList, isIP } from 'node:net';

/** Networks that no stranger's address may lead into: a rule must not reach what only this machine or its network can. */
const NETWORKS: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of IPv6 only the addresses that are given out to the public are reachable, without these. */
const NETWORKS_6: readonly (readonly [network: string, prefix: number])[] = [
  // Tunnels, whose addresses hold one of IPv4.
  ['2001::', 32],
  ['2002::', 16],
  // For documents, benchmarks and identifiers.
  ['2001:2::', 48],
  ['2001:db8::', 32],
  ['2001:10::', 28],
  ['2001:20::', 28],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [network, prefix] of NETWORKS) blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NETWORKS_6) blocked.addSubnet(network, prefix, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is private, local, reserved or none at all. */
export function isPrivateAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  switch (isIP(bare)) {
    case 4:
      return blocked.check(bare, 'ipv4');
    case 6:
      return !global6.check(bare, 'ipv6') || blocked.check(bare, 'ipv6');
    default:
      return true;
  }
}

/** The host of an address, as it is looked up. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Whether an address names a private one without a look-up. */
export function namesPrivateAddress(url: string): boolean {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host);
}
