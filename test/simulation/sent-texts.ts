/** The end of the answer that opens a WebSocket. */
const HEAD_END = Buffer.from('\r\n\r\n');
const TEXT = 1;

/**
 * The texts that a server sends over a WebSocket, out of the bytes of its connection: unmasked, uncompressed and each in
 * one frame. Of any other connection there are none.
 */
export function createSentTexts(onText: (text: string) => void): (bytes: Buffer) => void {
  let isOpen = false;
  let isOther = false;
  let rest: Buffer = Buffer.alloc(0);

  function takeHead(): boolean {
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return false;
    if (!rest.subarray(0, 12).toString('latin1').startsWith('HTTP/1.1 101')) {
      isOther = true;
      return false;
    }
    rest = rest.subarray(end + HEAD_END.length);
    isOpen = true;
    return true;
  }

  /** Takes one frame; false when it is not there as a whole. */
  function takeFrame(): boolean {
    if (rest.length < 2) return false;
    const short = rest.readUInt8(1) & 0x7f;
    const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (rest.length < headBytes) return false;
    const bytes =
      short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < headBytes + bytes) return false;
    const code = rest.readUInt8(0) & 0x0f;
    const content = rest.subarray(headBytes, headBytes + bytes);
    rest = rest.subarray(headBytes + bytes);
    if (code === TEXT) onText(content.toString());
    return true;
  }

  return (bytes) => {
    if (isOther) return;
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (!isOpen && !takeHead()) return;
    while (takeFrame());
  };
}
