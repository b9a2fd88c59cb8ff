import { BusError } from '../bus-error.ts';

/** The servers that a setting names, such as `nats://a:4222,tls://b:4222`. Its text may reach a log, so it has no secrets. */
export function parseAddresses(text: string): {
  readonly servers: readonly string[];
  readonly isSecure: boolean;
} {
  const addresses = text.split(',').map((each) => each.trim());
  const urls = addresses.map((address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.username || url?.password) {
      throw new BusError(
        'BUS_ADDRESS',
        'the address of a NATS server holds no user or password: those are read from the environment',
      );
    }
    const isAddress = url !== undefined && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '';
    if (!isAddress || (url.pathname !== '' && url.pathname !== '/')) {
      throw new BusError(
        'BUS_ADDRESS',
        `"${address}" is no address of a NATS server, such as nats://host:4222`,
      );
    }
    return url;
  });
  return {
    servers: urls.map((url) => `${url.protocol}//${url.hostname}:${url.port || '4222'}`),
    isSecure: urls.some((url) => url.protocol === 'tls:'),
  };
}
