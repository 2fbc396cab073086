/** Something that reads what strangers write. */
export interface FuzzTarget {
  /** Kebab-case: also the folder of its findings. */
  readonly name: string
  /** Inputs to start from, as good ones as there are. Made anew for each turn, since some of them expire. */
  seeds(): Promise<readonly Uint8Array[]> | readonly Uint8Array[]
  /** Pieces of the language that it reads. */
  readonly dictionary: readonly string[]
  /** Bytes. Default: 4096. */
  readonly maxLength?: number
  /**
   * Steps for each byte of an input, and for each input whatever its size: more than these is work that grows faster than what
   * it is done for. Steps are blocks of code that were entered.
   */
  readonly work: { readonly perByte: number; readonly perInput: number }
  /** Throws when a promise is broken. What is refused is well. */
  check(input: Uint8Array): Promise<void> | void
}

/** An input that broke a promise. */
export interface Finding {
  readonly target: string
  readonly input: Uint8Array
  readonly error: Error
}

/** One character for each byte, as headers have it. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1")
}

export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"))
}

/** What is not UTF-8 becomes U+FFFD, as everywhere on the Web. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

export function fromText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** @throws Error unless it holds */
export function promise(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(`Broken promise: ${words}`)
}
