/** Code that reads untrusted input. */
export interface FuzzTarget {
  /** In kebab case. Also the name of the folder of its findings. */
  readonly name: string
  /** Valid and useful inputs to start from. Created for each turn, because some expire. */
  seeds(): Promise<readonly Uint8Array[]> | readonly Uint8Array[]
  /** Tokens of the input's syntax. */
  readonly dictionary: readonly string[]
  /** In bytes. Default: 4096. */
  readonly maxLength?: number
  /** The maximum number of executed code blocks, per byte and per input, so that work does not grow faster than the input. */
  readonly work: { readonly perByte: number; readonly perInput: number }
  /** Throws if a promise is broken. Rejecting the input is fine. */
  check(input: Uint8Array): Promise<void> | void
}

/** An input that broke a promise. */
export interface Finding {
  readonly target: string
  readonly input: Uint8Array
  readonly error: Error
}

/** One character per byte, as in headers. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1")
}

export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"))
}

/** Invalid UTF-8 becomes U+FFFD, as on the Web. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

export function fromText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/**
 * Asserts that a promise holds.
 * @throws Error otherwise.
 */
export function promise(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new Error(`Broken promise: ${statement}`)
}
