const MOST_FRAMES = 30;

/** The form that subscribes to a channel of the feed and shows its frames. */
export function startListening(root: URL, key: () => string): void {
  const form = document.querySelector<HTMLFormElement>('form.listen');
  const frames = form?.querySelector<HTMLOListElement>('.frames');
  const output = form?.querySelector('output');
  const stop = form?.querySelector<HTMLButtonElement>('[data-stop]');
  if (!form || !frames || !output || !stop) return;
  let socket: WebSocket | undefined;

  const show = (text: string) => {
    const item = document.createElement('li');
    const frame = document.createElement('pre');
    frame.textContent = text;
    item.append(frame);
    frames.prepend(item);
    while (frames.children.length > MOST_FRAMES) frames.lastElementChild?.remove();
  };

  const open = () => {
    const data = new FormData(form);
    const account = String(data.get('account') ?? '').trim();
    const channel = { channel: String(data.get('channel')), ...(account === '' ? {} : { account }) };
    const address = new URL('api/v1/feed', root);
    address.protocol = address.protocol.replace('http', 'ws');
    const own = new WebSocket(address);
    socket = own;
    const send = (message: unknown) => {
      const text = JSON.stringify(message);
      own.send(text);
      return text;
    };
    own.addEventListener('open', () => {
      if (key() !== '') send({ op: 'auth', key: key() });
      output.textContent = `Sent ${send({ op: 'subscribe', channels: [channel] })}`;
    });
    own.addEventListener('message', ({ data: text }) => show(String(text)));
    own.addEventListener('close', ({ code, reason }) => {
      if (socket !== own) return;
      socket = undefined;
      stop.disabled = true;
      output.textContent = `The connection ended with code ${code}${reason === '' ? '' : `: ${reason}`}`;
    });
    stop.disabled = false;
    output.textContent = 'Connecting';
  };

  const close = () => {
    const own = socket;
    socket = undefined;
    own?.close();
    stop.disabled = true;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    close();
    frames.replaceChildren();
    open();
  });
  stop.addEventListener('click', () => {
    close();
    output.textContent = 'Stopped';
  });
}
