import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';

/** The token that a transfer is signed for (EIP-712). */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Its contract. */
  readonly asset: string;
}

/** A transfer as its payer signs it (EIP-3009); numbers in decimal digits, the rest in hexadecimal ones. */
export interface TransferMessage {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

const textHash = (text: string) => keccak_256(utf8ToBytes(text));
const DOMAIN = textHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const TRANSFER = textHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const PREFIX = Uint8Array.of(0x19, 0x01);

const SIGNATURE_CHARS = 132;
/** How a signature names which of two keys made it: with 27 added, or without. */
const RECOVERY_BITS: ReadonlyMap<string, 0 | 1> = new Map([
  ['00', 0],
  ['1b', 0],
  ['01', 1],
  ['1c', 1],
]);

/**
 * Who signed the transfer, as an address in lower case; undefined when the bytes are no signature that a token's
 * contract accepts.
 */
export function signerOf(
  domain: TokenDomain,
  transfer: TransferMessage,
  signature: string,
): string | undefined {
  const bit = RECOVERY_BITS.get(signature.slice(130).toLowerCase());
  if (signature.length !== SIGNATURE_CHARS || bit === undefined) return undefined;
  try {
    const parsed = secp256k1.Signature.fromCompact(signature.slice(2, 130));
    // Of each signature there is a second form; contracts accept the one with the lower number only.
    if (parsed.hasHighS()) return undefined;
    const key = parsed.addRecoveryBit(bit).recoverPublicKey(digestOf(domain, transfer)).toRawBytes(false);
    return `0x${bytesToHex(keccak_256(key.subarray(1))).slice(-40)}`;
  } catch {
    // Numbers that are out of range.
    return undefined;
  }
}

/** What is signed: the hash of the transfer and of the token it is for. */
function digestOf({ name, version, chainId, asset }: TokenDomain, transfer: TransferMessage): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = transfer;
  const domain = [DOMAIN, textHash(name), textHash(version), number(String(chainId)), address(asset)];
  const message = [
    TRANSFER,
    address(from),
    address(to),
    number(value),
    number(validAfter),
    number(validBefore),
    hexToBytes(nonce.slice(2)),
  ];
  const hash = (words: readonly Uint8Array[]) => keccak_256(concatBytes(...words));
  return keccak_256(concatBytes(PREFIX, hash(domain), hash(message)));
}

/** As a word of 32 bytes. */
function number(digits: string): Uint8Array {
  const hex = BigInt(digits).toString(16).padStart(64, '0');
  if (hex.length > 64) throw new RangeError('a number of more than 256 bits');
  return hexToBytes(hex);
}

function address(hex: string): Uint8Array {
  return hexToBytes(hex.slice(2).padStart(64, '0'));
}
